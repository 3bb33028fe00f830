import type { ApiWrite } from '../harness/api-write.ts';
import type { Interceptor } from '../harness/api-proxy.ts';

/**
 * before: killed before the write reaches the server. after: stored, the answer is on its way, killed.
 * lost: stored, the answer never arrives, killed. silent: stored, the answer never arrives, and the operator goes on.
 */
export const FAULTS = ['before', 'after', 'lost', 'silent'] as const;
export type Fault = (typeof FAULTS)[number];

/** A write of the reference scenario: what it says, and which of those that say the same (from 1). */
export interface WriteId {
  words: string;
  occurrence: number;
}

/** Counts writes of a scenario and strikes at one of them, once. */
export interface Striker extends Interceptor {
  /** Words of all writes so far, in order. */
  readonly seen: readonly string[];
  readonly struck: boolean;
}

export function createStriker(options: {
  /** Undefined: only count. */
  target: (WriteId & { fault: Fault }) | undefined;
  kill: () => void;
}): Striker {
  const { target, kill } = options;
  const seen: string[] = [];
  let matching = 0;
  let struck = false;
  let victim: ApiWrite | undefined;
  const isVictim = (write: ApiWrite): boolean => write === victim;
  return {
    seen,
    get struck() {
      return struck;
    },
    before(write) {
      seen.push(write.words);
      if (!target || write.words !== target.words) return 'forward';
      matching += 1;
      if (matching !== target.occurrence) return 'forward';
      if (target.fault === 'before') {
        struck = true;
        kill();
        return 'drop';
      }
      victim = write;
      return 'forward';
    },
    after(write) {
      if (!isVictim(write) || target?.fault === 'after') return 'answer';
      struck = true;
      if (target?.fault === 'lost') kill();
      return 'drop';
    },
    answered(write) {
      if (!isVictim(write) || target?.fault !== 'after') return;
      struck = true;
      kill();
    },
  };
}

/** The writes of several reference runs as one list, in the order of the first: what only some runs made comes last. */
export function writesOf(runs: readonly (readonly string[])[]): WriteId[] {
  const known = new Map<string, WriteId>();
  for (const run of runs) {
    const counts = new Map<string, number>();
    for (const words of run) {
      const occurrence = (counts.get(words) ?? 0) + 1;
      counts.set(words, occurrence);
      known.set(`${words} #${occurrence}`, { words, occurrence });
    }
  }
  return [...known.values()];
}
