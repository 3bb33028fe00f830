/** Counts by name, as they stand in the pod's status: a pod is asked, it is not scraped. */
export interface Counters {
  add(name: string): void;
  all(): Record<string, number>;
}

/** Names come from code and from CDP methods that were judged; the cap keeps a client from filling memory with them. */
const MAX_NAMES = 200;

export function createCounters(): Counters {
  const counts = new Map<string, number>();
  return {
    add(name) {
      const known = counts.get(name);
      if (known === undefined && counts.size >= MAX_NAMES) return;
      counts.set(name, (known ?? 0) + 1);
    },
    all: () => Object.fromEntries(counts),
  };
}
