/** Exponential back-off with full-range jitter, so that many watchers of a restarted server do not come back at once. */
export interface Backoff {
  /** Milliseconds to wait before the next attempt; grows with every call. */
  next(): number;
  reset(): void;
}

export function createBackoff(options: { firstMs: number; maxMs: number; random?: () => number }): Backoff {
  const random = options.random ?? Math.random;
  let attempt = 0;
  return {
    next() {
      const ceiling = Math.min(options.maxMs, options.firstMs * 2 ** Math.min(attempt++, 30));
      return Math.round(ceiling / 2 + (ceiling / 2) * random());
    },
    reset() {
      attempt = 0;
    },
  };
}
