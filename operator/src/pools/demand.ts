import type { BrowserSession } from '@podwright/api/kinds/session';
import type { Change } from '@podwright/kube/store';
import { DEMAND_WINDOW_MS } from './target.ts';

/** When sessions took browsers, by `namespace/pool`. Filled from the cache, so a new leader knows what the last one saw. */
export interface Demand {
  /** Tells of a change of a session; returns its pool when it has just got a browser. */
  note(change: Change<BrowserSession>): string | undefined;
  /** Milliseconds since the epoch, oldest first. */
  of(pool: string): readonly number[];
  forget(pool: string): void;
}

/** Remembered of one pool: no target is higher than half of it. */
const MOST = 10_000;

export function createDemand(options: { now: () => number }): Demand {
  const claims = new Map<string, number[]>();
  return {
    note(change) {
      const { startedAt, poolName } = change.object.status ?? {};
      if (change.type === 'removed' || startedAt === undefined || poolName === undefined) return undefined;
      if (change.type === 'changed' && change.previous.status?.startedAt !== undefined) return undefined;
      const at = Date.parse(startedAt);
      const oldest = options.now() - DEMAND_WINDOW_MS;
      if (at <= oldest) return undefined;
      const pool = `${change.object.metadata.namespace}/${poolName}`;
      const known = (claims.get(pool) ?? []).filter((one) => one > oldest);
      // A first list comes in any order.
      const place = known.findLastIndex((one) => one <= at) + 1;
      claims.set(pool, known.toSpliced(place, 0, at).slice(-MOST));
      return pool;
    },
    of: (pool) => claims.get(pool) ?? [],
    forget: (pool) => void claims.delete(pool),
  };
}
