/**
 * Slows down whoever tries keys: after `limit` bad ones within a minute an address gets 429 for the rest of it.
 * A good key is never throttled, so a shared address locks nobody out.
 */
export interface BadKeyThrottle {
  /** Counts a bad key. Returns the seconds to wait when the address is over its limit, else 0. */
  refused(address: string): number;
}

const WINDOW_MS = 60_000;
/** Addresses remembered at most; the oldest window goes first. */
const MAX_ADDRESSES = 10_000;

export function createBadKeyThrottle(options: { limit: number; now: () => number }): BadKeyThrottle {
  const windows = new Map<string, { since: number; count: number }>();
  return {
    refused(address) {
      const now = options.now();
      let window = windows.get(address);
      if (!window || now - window.since >= WINDOW_MS) {
        window = { since: now, count: 0 };
        windows.delete(address);
        windows.set(address, window);
        const oldest = windows.size > MAX_ADDRESSES ? windows.keys().next().value : undefined;
        if (oldest !== undefined) windows.delete(oldest);
      }
      window.count += 1;
      return window.count > options.limit ? Math.ceil((window.since + WINDOW_MS - now) / 1000) : 0;
    },
  };
}
