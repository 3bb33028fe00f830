/** Which origins were used, and when: numbers that grow with every use, for clocks may step. */
export interface OriginLog {
  saw(origin: string): void;
  /** Origins and the number of their last use, oldest use first. */
  all(): ReadonlyMap<string, number>;
  /** Forgets all uses so far. */
  clear(): void;
}

/** Enough for any session of a person or an agent; bounds memory against a page that hops. */
const MAX_ORIGINS = 2000;

export function createOriginLog(): OriginLog {
  const uses = new Map<string, number>();
  let last = 0;
  return {
    saw(origin) {
      last += 1;
      uses.delete(origin);
      uses.set(origin, last);
      if (uses.size > MAX_ORIGINS) uses.delete(uses.keys().next().value!);
    },
    all: () => uses,
    clear: () => uses.clear(),
  };
}

/** The origin of an http or https address; undefined for everything else. */
export function originOf(url: string): string | undefined {
  return /^https?:/.test(url) && URL.canParse(url) ? new URL(url).origin : undefined;
}
