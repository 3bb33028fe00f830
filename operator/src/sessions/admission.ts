import type { SessionReason } from '@podwright/api/conditions';

/** A session that wants to start. */
export interface Waiting {
  uid: string;
  tenant: string;
  /** `namespace/name` of its pool. */
  pool: string;
  priority: number;
  /** Milliseconds since the epoch. */
  createdAt: number;
  /** No verdict was given yet: only then can it be refused. */
  isNew: boolean;
  whenFull: 'Queue' | 'Reject';
  /** Made by a manifest: the gateway has not counted it against the creates per minute. */
  fromManifest: boolean;
}

export interface TenantLoad {
  weight: number;
  /** Sessions it may have at once. */
  limit: number;
  queueLimit: number;
  paused: boolean;
  /** Sessions that have a place now. */
  active: number;
  /** How many sessions from manifests may still be admitted in this minute, and when (milliseconds since the epoch) the next may. */
  rate: { perMinute: number; left: number; nextAt: number | undefined };
}

export interface PoolLoad {
  limit: number;
  active: number;
}

export type Verdict =
  | { state: 'admitted' }
  /** `until`: by then at the latest it may be another one without anything having changed. */
  | { state: 'waiting'; reason: SessionReason; position: number; message: string; until?: number | undefined }
  | { state: 'refused'; reason: SessionReason; message: string };

/**
 * Who may start now. Free start slots go to the tenant that has least for its weight, within a tenant to the higher
 * priority, then to the older session. Limits of tenant and pool hold one session each back and nobody behind it in another pool.
 */
export function admit(input: {
  waiting: readonly Waiting[];
  tenants: ReadonlyMap<string, TenantLoad>;
  pools: ReadonlyMap<string, PoolLoad>;
  startSlots: number;
}): Map<string, Verdict> {
  const queues = new Map<string, Waiting[]>();
  for (const one of input.waiting) queues.set(one.tenant, [...(queues.get(one.tenant) ?? []), one]);
  for (const queue of queues.values()) queue.sort(inOrder);
  const active = new Map([...input.tenants].map(([name, load]) => [name, load.active]));
  const poolActive = new Map([...input.pools].map(([key, load]) => [key, load.active]));
  const poolLimit = (pool: string): number => input.pools.get(pool)?.limit ?? Number.POSITIVE_INFINITY;
  const verdicts = new Map<string, Verdict>();
  const held = new Map<string, SessionReason>();
  const rateLeft = new Map([...input.tenants].map(([name, load]) => [name, load.rate.left]));
  let slots = input.startSlots;

  /** The first of a tenant's queue that could go, noting why those before it could not. */
  function candidateOf(tenant: string): Waiting | undefined {
    const load = input.tenants.get(tenant);
    for (const one of queues.get(tenant) ?? []) {
      if (verdicts.has(one.uid)) continue;
      if (load === undefined || load.paused) held.set(one.uid, 'TenantPaused');
      else if (active.get(tenant)! >= load.limit) held.set(one.uid, 'TenantFull');
      else if ((poolActive.get(one.pool) ?? 0) >= poolLimit(one.pool)) held.set(one.uid, 'PoolFull');
      else if (one.fromManifest && rateLeft.get(tenant)! <= 0) held.set(one.uid, 'CreateRate');
      else return one;
    }
    return undefined;
  }

  const share = (tenant: string): number =>
    (active.get(tenant) ?? 0) / Math.max(1, input.tenants.get(tenant)?.weight ?? 1);
  const open = new Set(queues.keys());
  while (slots > 0 && open.size > 0) {
    let best: { tenant: string; one: Waiting } | undefined;
    for (const tenant of open) {
      const one = candidateOf(tenant);
      if (!one) open.delete(tenant);
      else if (
        !best ||
        share(tenant) < share(best.tenant) ||
        (share(tenant) === share(best.tenant) && one.createdAt < best.one.createdAt)
      )
        best = { tenant, one };
    }
    if (!best) break;
    verdicts.set(best.one.uid, { state: 'admitted' });
    active.set(best.tenant, (active.get(best.tenant) ?? 0) + 1);
    poolActive.set(best.one.pool, (poolActive.get(best.one.pool) ?? 0) + 1);
    if (best.one.fromManifest) rateLeft.set(best.tenant, (rateLeft.get(best.tenant) ?? 0) - 1);
    slots -= 1;
  }

  for (const [tenant, queue] of queues) {
    candidateOf(tenant);
    settleRest(queue, input.tenants.get(tenant), verdicts, held);
  }
  return verdicts;
}

/** Verdicts of those that do not start now: a place in the queue, or a refusal. */
function settleRest(
  queue: readonly Waiting[],
  load: TenantLoad | undefined,
  verdicts: Map<string, Verdict>,
  held: ReadonlyMap<string, SessionReason>,
): void {
  let position = 0;
  let accepted = queue.filter((one) => !one.isNew && !verdicts.has(one.uid)).length;
  for (const one of queue) {
    if (verdicts.has(one.uid)) continue;
    const reason = held.get(one.uid) ?? 'Waiting';
    const because = explain(reason, load, one);
    const until = reason === 'CreateRate' ? load?.rate.nextAt : undefined;
    if (one.isNew && one.whenFull === 'Reject' && reason !== 'Waiting') {
      verdicts.set(one.uid, { state: 'refused', reason: 'Refused', message: because });
      continue;
    }
    if (one.isNew && load && accepted >= load.queueLimit) {
      const message = `${accepted} sessions of the tenant wait already, and no more may (limits.queuedSessions); make it again later`;
      verdicts.set(one.uid, { state: 'refused', reason: 'QueueFull', message });
      continue;
    }
    if (one.isNew) accepted += 1;
    position += 1;
    verdicts.set(one.uid, { state: 'waiting', reason, position, message: because, until });
  }
}

/** Why it waits, and what would help. */
function explain(reason: SessionReason, load: TenantLoad | undefined, one: Waiting): string {
  switch (reason) {
    case 'TenantFull':
      return `the tenant runs ${load?.active ?? 0} sessions, and may run ${load?.limit ?? 0} (limits.concurrentSessions); it starts when one of them ends`;
    case 'TenantPaused':
      return 'the tenant is paused; it starts when spec.paused of the tenant is taken back';
    case 'PoolFull':
      return `pool ${one.pool} runs as many browsers as its maxSessions allows; it starts when one of them ends`;
    case 'CreateRate':
      return `manifests of the tenant made more than ${load?.rate.perMinute ?? 0} sessions in a minute (limits.createsPerMinute); it starts in its turn, without anybody doing anything`;
    default:
      return 'it waits for a start slot: as many sessions as the operator starts at once are on their way';
  }
}

const inOrder = (a: Waiting, b: Waiting): number =>
  b.priority - a.priority || a.createdAt - b.createdAt || (a.uid < b.uid ? -1 : 1);
