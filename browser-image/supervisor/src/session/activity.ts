/** Quiet lasts this long: time for the evictor to ask for the stop. */
export const QUIET_MS = 30_000;

/**
 * When this browser was last used, and whether it is being evicted. The pod is the one place that sees all of it:
 * messages of CDP clients, input of viewers, presence, steps of runs.
 */
export interface Activity {
  readonly touch: () => void;
  /** Idle for at least `idleForMs`: quiet for a while and refusing new work; else busy and nothing changes. */
  quiesce(idleForMs: number): { quiet: boolean; lastActiveAt: number; until?: number };
  /** Words for work that comes while the browser is quiet; undefined when work is welcome. */
  readonly refusal: () => string | undefined;
  readonly lastActiveAt: number;
}

/** `now` returns milliseconds. */
export function createActivity(options: { now: () => number }): Activity {
  const { now } = options;
  let lastActiveAt = now();
  let quietUntil = 0;
  return {
    touch() {
      lastActiveAt = now();
    },
    quiesce(idleForMs) {
      const at = now();
      if (quietUntil > at) return { quiet: true, lastActiveAt, until: quietUntil };
      if (at - lastActiveAt < idleForMs) return { quiet: false, lastActiveAt };
      quietUntil = at + QUIET_MS;
      return { quiet: true, lastActiveAt, until: quietUntil };
    },
    refusal() {
      return quietUntil > now() ? 'the session is being evicted because nobody used it' : undefined;
    },
    get lastActiveAt() {
      return lastActiveAt;
    },
  };
}
