import { setTimeout as delay } from 'node:timers/promises';
import { type Attempts, type RunKey, SupersededError } from '@podwright/runs/attempts';
import { CancelledError, type RunControl, StoreLostError } from '../loop/run-control.ts';

const TICK_MS = 1_000;
/** Without Redis for this long a run is let go of: nobody could see or stop what it does. */
const STORE_PATIENCE_MS = 60_000;

export interface RunWatch extends RunControl {
  stop(): void;
}

/** Keeps the heartbeat of an attempt and listens to what the gateway asks of its run. */
export function watchRun(options: {
  attempts: Attempts;
  key: RunKey;
  attempt: number;
  worker: string;
  /** True once the process is to end. */
  isDraining: () => boolean;
  /** Aborted when the process cannot wait for the end of the step. */
  forced: AbortSignal;
  now: () => number;
}): RunWatch {
  const { attempts, key, attempt, worker, now } = options;
  const own = new AbortController();
  const ended = new AbortController();
  const heard = { at: now(), paused: false };

  const tick = async (): Promise<void> => {
    if (!(await attempts.beat(key, attempt, worker))) {
      own.abort(new SupersededError('superseded'));
      return;
    }
    const control = await attempts.getControl(key);
    heard.at = now();
    if (control === 'cancel') own.abort(new CancelledError('someone stopped the run'));
    heard.paused = control === 'pause';
  };
  const beatForever = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      try {
        // A command waits in the client while Redis is away; the silence is judged by the loop below.
        await tick();
      } catch {
        // The next tick tells whether it was the connection.
      }
      await delay(TICK_MS, undefined, { signal: ended.signal }).catch(() => {});
    }
  };
  const judgeSilence = setInterval(() => {
    if (now() - heard.at > STORE_PATIENCE_MS) own.abort(new StoreLostError('Redis does not answer'));
  }, TICK_MS);
  void beatForever();

  return {
    signal: AbortSignal.any([own.signal, options.forced]),
    shouldHandBack: options.isDraining,
    paused: () => heard.paused,
    async resumed() {
      while (heard.paused && !options.isDraining()) await delay(200, undefined, { signal: own.signal });
    },
    stop() {
      ended.abort();
      clearInterval(judgeSilence);
    },
  };
}
