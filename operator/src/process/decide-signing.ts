import { ISSUERS, type Issuer, type PublicKeySet } from '@podwright/api/tokens';

/** Key id by issuer that tokens are signed with. */
export type Signing = Partial<Record<Issuer, string>>;

export interface SigningObservation {
  now: number;
  /** Every key that pods made from now on list, by issuer, oldest first. */
  keys: PublicKeySet;
  /** Key ids that each live pod lists. */
  pods: Iterable<ReadonlySet<string>>;
  /** What was released before. */
  released: Signing;
  /** Since when, in milliseconds since the epoch, each key id has been listed by every live pod, as decided last. */
  listedSince: ReadonlyMap<string, number>;
}

/** A cache lags behind a pod that another process of ours has just made from an older list. */
const SETTLE_MS = 30_000;

/**
 * Which key each issuer may sign with: its newest one that every live pod has listed for a while. A key that was
 * released stays released while it exists, so that one late pod does not take it back from all the others. Pure.
 */
export function decideSigning(observation: SigningObservation): {
  released: Signing;
  listedSince: ReadonlyMap<string, number>;
  /** Something is on its way: look again soon. */
  waiting: boolean;
} {
  const { now, keys, released } = observation;
  const pods = [...observation.pods];
  const listedSince = new Map<string, number>();
  const next: Signing = {};
  let waiting = false;
  for (const issuer of ISSUERS) {
    const kids = keys[issuer].map(({ kid }) => kid);
    const before = kids.indexOf(released[issuer] ?? '');
    let chosen = before === -1 ? undefined : kids[before];
    for (const kid of kids.slice(before + 1)) {
      // The first key an installation ever has is listed by every pod it ever made.
      const since = kids.length === 1 ? -Infinity : (observation.listedSince.get(kid) ?? now);
      if (!pods.every((listed) => listed.has(kid))) {
        waiting = true;
        continue;
      }
      listedSince.set(kid, since);
      if (now - since >= SETTLE_MS) chosen = kid;
      else waiting = true;
    }
    chosen ??= kids[0];
    if (chosen !== undefined) next[issuer] = chosen;
  }
  return { released: next, listedSince, waiting };
}
