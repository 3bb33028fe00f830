import type { Failure } from './pod-failure.ts';

/**
 * Keeps a used-up quota from being hammered. After a refusal nobody creates a pod in that namespace for a while, longer
 * each time; then one at a time tries, until none was refused for a minute. A pod that goes opens it at once.
 */
export interface CreateGate {
  /** Why, and until when (milliseconds since the epoch) nobody may create; undefined: somebody may try. */
  closed(namespace: string): { until: number; failure: Failure } | undefined;
  /** Creates through the gate. A refusal is a value: the gate's own, or that which `create` returned. */
  through(namespace: string, create: () => Promise<Failure | undefined>): Promise<Failure | undefined>;
  /** Something went that may have been what filled the quota. */
  freed(namespace: string): void;
}

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;
const CALM_AFTER_MS = 60_000;
/** How long the others wait while one tries. */
const TURN_MS = 1_000;

interface Narrow {
  failure: Failure;
  refusedAt: number;
  pauseMs: number;
  until: number;
  trying: boolean;
}

export function createCreateGate(options: {
  now: () => number;
  /** A pod could be created again: others that wait in this namespace may try. */
  onOpen: (namespace: string) => void;
}): CreateGate {
  const { now, onOpen } = options;
  const narrow = new Map<string, Narrow>();

  function stateOf(namespace: string): Narrow | undefined {
    const state = narrow.get(namespace);
    if (!state || now() < Math.max(state.refusedAt, state.until) + CALM_AFTER_MS || state.trying) return state;
    narrow.delete(namespace);
    return undefined;
  }

  function refuse(namespace: string, failure: Failure): void {
    const before = narrow.get(namespace);
    // What was under way when the gate closed is refused too, and is no second try.
    const again = before !== undefined && now() >= before.until;
    const pauseMs = again ? Math.min(LONGEST_PAUSE_MS, before.pauseMs * 2) : (before?.pauseMs ?? FIRST_PAUSE_MS);
    const until = again || !before ? now() + pauseMs : before.until;
    narrow.set(namespace, { failure, refusedAt: now(), pauseMs, until, trying: false });
  }

  return {
    closed(namespace) {
      const state = stateOf(namespace);
      if (!state) return undefined;
      if (state.until > now()) return { until: state.until, failure: state.failure };
      return state.trying ? { until: now() + TURN_MS, failure: state.failure } : undefined;
    },
    async through(namespace, create) {
      const state = stateOf(namespace);
      if (state && (state.trying || state.until > now())) return state.failure;
      if (state) state.trying = true;
      try {
        const failure = await create();
        if (failure?.reason === 'QuotaExceeded') refuse(namespace, failure);
        else if (state) onOpen(namespace);
        return failure;
      } finally {
        if (state) state.trying = false;
      }
    },
    freed(namespace) {
      const state = stateOf(namespace);
      if (!state || state.until <= now()) return;
      state.until = now();
      onOpen(namespace);
    },
  };
}
