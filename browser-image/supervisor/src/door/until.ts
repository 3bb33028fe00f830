/** The longest time a timer can hold. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Calls `close` when the connection that a token opened reaches its end; `until` in seconds since the epoch.
 * Returns what takes it back.
 */
export function closeAtEnd(until: number | undefined, now: () => number, close: () => void): () => void {
  if (until === undefined) return () => undefined;
  const timer = setTimeout(close, Math.min(Math.max(0, until * 1000 - now()), MAX_TIMER_MS));
  timer.unref();
  return () => clearTimeout(timer);
}
