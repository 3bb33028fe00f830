import { setTimeout as delay } from 'node:timers/promises';

/** Something did not end by its deadline. The thing itself may still be going on. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/**
 * Waits for `promise`, but no longer than `milliseconds` and only while `signal` is not aborted.
 * Throws DeadlineError, or the reason of the signal. What `promise` does later is ignored.
 */
export async function within<T>(promise: Promise<T>, milliseconds: number, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const timer = new AbortController();
  const stop = AbortSignal.any([timer.signal, signal]);
  const late = delay(milliseconds, undefined, { signal: stop }).then(
    () => {
      throw new DeadlineError(`not done within ${milliseconds} ms`);
    },
    () => {
      signal.throwIfAborted();
      throw new DeadlineError('no longer waited for');
    },
  );
  late.catch(() => {});
  promise.catch(() => {});
  try {
    return await Promise.race([promise, late]);
  } finally {
    timer.abort();
  }
}
