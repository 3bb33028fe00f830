import { setTimeout as timer } from 'node:timers/promises';

/** Waits; rejects with the signal's reason when it aborts. */
export async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await timer(milliseconds, undefined, { signal, ref: true });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}
