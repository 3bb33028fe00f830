import { createBackoff, type Backoff } from './backoff.ts';
import { errorFields } from './kube-error.ts';
import type { Log } from './reflector.ts';

/** Work on one key. It may ask to be called again at an instant (milliseconds since the epoch). */
export type Work = (key: string, signal: AbortSignal) => Promise<{ at?: number | undefined } | void>;

/** One pass over a key. */
export interface PassFact {
  seconds: number;
  /** How long the key had waited, its pauses after failures and until agreed instants left out. */
  waitedSeconds: number;
  outcome: 'done' | 'failed';
}

/** Keys waiting to be worked on: each once, never two workers on one key, failures again with back-off. */
export interface WorkQueue {
  add(key: string): void;
  /** The earliest of several wins. */
  addAt(key: string, at: number): void;
  /** Keys that wait, not counting delayed ones. */
  readonly depth: number;
  /** Milliseconds since the oldest waiting key was added; 0 when none waits. */
  oldestAgeMs(): number;
  /** No new work; resolves when what runs has ended. */
  stop(): Promise<void>;
}

/** Timers hold 31 bits of milliseconds. */
const LONGEST_TIMER_MS = 2_147_483_647;

export function startWorkQueue(options: {
  name: string;
  work: Work;
  concurrency: number;
  now: () => number;
  log: Log;
  /** Called after each pass. */
  onDone?: (fact: PassFact) => void;
}): WorkQueue {
  const { now, log } = options;
  const waiting = new Map<string, number>();
  const working = new Map<string, Promise<void>>();
  /** Keys added while they were being worked on. */
  const again = new Set<string>();
  /** `due` is of the monotonic clock: a wall clock that jumps must not make one timer hide another. */
  const timers = new Map<string, { due: number; timer: NodeJS.Timeout }>();
  const backoffs = new Map<string, Backoff>();
  const stopping = new AbortController();

  function pump(): void {
    if (stopping.signal.aborted) return;
    for (const [key, since] of waiting) {
      if (working.size >= options.concurrency) return;
      waiting.delete(key);
      const done = pass(key, (now() - since) / 1000).finally(() => {
        working.delete(key);
        if (again.delete(key)) queue.add(key);
        pump();
      });
      working.set(key, done);
    }
  }

  async function pass(key: string, waitedSeconds: number): Promise<void> {
    const startedAt = now();
    try {
      const result = await options.work(key, stopping.signal);
      backoffs.delete(key);
      if (result?.at !== undefined) queue.addAt(key, result.at);
      options.onDone?.({ seconds: (now() - startedAt) / 1000, waitedSeconds, outcome: 'done' });
    } catch (error) {
      if (stopping.signal.aborted) return;
      let backoff = backoffs.get(key);
      if (!backoff) backoffs.set(key, (backoff = createBackoff({ firstMs: 50, maxMs: 30_000 })));
      const waitMs = backoff.next();
      log.warn(
        { ...errorFields(error), queue: options.name, key, retryInMs: waitMs },
        'work failed and is tried again',
      );
      queue.addAt(key, now() + waitMs);
      options.onDone?.({ seconds: (now() - startedAt) / 1000, waitedSeconds, outcome: 'failed' });
    }
  }

  const queue: WorkQueue = {
    add(key) {
      if (stopping.signal.aborted) return;
      if (working.has(key)) {
        again.add(key);
        return;
      }
      if (!waiting.has(key)) waiting.set(key, now());
      pump();
    },
    addAt(key, at) {
      if (stopping.signal.aborted) return;
      const waitMs = Math.max(0, at - now());
      const due = performance.now() + waitMs;
      const existing = timers.get(key);
      if (existing && existing.due <= due) return;
      if (existing) clearTimeout(existing.timer);
      const fire = (): void => {
        timers.delete(key);
        // Only what no timer can hold is asked for again. An instant that a clock set back has moved away comes early:
        // looking once too often costs little, a retry that waits for the clock to catch up may cost an hour.
        if (waitMs > LONGEST_TIMER_MS) queue.addAt(key, at);
        else queue.add(key);
      };
      const timer = setTimeout(fire, Math.min(waitMs, LONGEST_TIMER_MS));
      timers.set(key, { due, timer });
    },
    get depth() {
      return waiting.size;
    },
    oldestAgeMs() {
      const [oldest] = waiting.values();
      return oldest === undefined ? 0 : now() - oldest;
    },
    async stop() {
      stopping.abort(new Error('the work queue was stopped'));
      for (const { timer } of timers.values()) clearTimeout(timer);
      timers.clear();
      waiting.clear();
      await Promise.allSettled(working.values());
    },
  };
  return queue;
}
