import type { BrowserSession } from '@podwright/api/kinds/session';
import { TENANT_DEFAULTS } from '@podwright/api/kinds/tenant';
import { ANNOTATION } from '@podwright/api/names';
import { keyOf } from '@podwright/kube/resource';
import { type Caches, isStarting, stageOf } from '../caches.ts';
import { poolNameOf, tenantOf } from '../lookup.ts';
import { isProfileTaken } from '../profiles/holder.ts';
import { createManifestRate, isFromManifest } from './manifest-rate.ts';
import { type WantedPlace, placesWanted } from './parked.ts';
import { type PoolLoad, type TenantLoad, type Verdict, type Waiting, admit } from './admission.ts';

/** Counts places. Only the leader has one; verdicts it gave count before their status is written. */
export interface Admitter {
  verdictOn(session: BrowserSession): Verdict | undefined;
}

export function createAdmitter(options: {
  caches: Caches;
  maxStarting: number;
  /** A session whose verdict may have changed without anything of its own changing. */
  onVerdict: (sessionKey: string) => void;
  /** Places that those who wait could have if parked browsers gave way; told after every count. */
  onWanted: (places: WantedPlace[]) => void;
  now: () => number;
}): Admitter {
  const { caches, now } = options;
  const rate = createManifestRate({ now });
  /** Admitted by this process and not yet seen so in the cache: UID to session key, tenant and pool. */
  const granted = new Map<string, { namespace: string; pool: string }>();
  let verdicts = new Map<string, Verdict>();
  let dirty = true;
  /** When time alone changes a verdict. */
  let staleAt = Number.POSITIVE_INFINITY;
  let announced = false;

  const profileOf = ({ spec, metadata }: BrowserSession) =>
    spec.profileRef && caches.profiles.store.get(`${metadata.namespace}/${spec.profileRef.name}`);

  /** Everything that waits is looked at again once, after the events at hand. */
  function disturb(): void {
    dirty = true;
    if (announced) return;
    announced = true;
    setImmediate(() => {
      announced = false;
      for (const session of caches.sessions.store.by('stage', 'waiting')) options.onVerdict(keyOf(session));
    });
  }

  caches.sessions.onChange((change) => {
    const { uid } = change.object.metadata;
    const stage = change.type === 'removed' ? 'over' : stageOf(change.object);
    if (change.type === 'added' && stage !== 'waiting' && !granted.has(uid)) rate.inherit(change.object);
    if (stage !== 'waiting') granted.delete(uid);
    if (change.type === 'changed') {
      const before = change.previous;
      const freedSlot = isStarting(before) && !isStarting(change.object);
      if (stageOf(before) !== stage || freedSlot) disturb();
    } else if (change.type === 'added' && stage === 'waiting') dirty = true;
    else disturb();
  });
  caches.profiles.onChange((change) => {
    const before = change.type === 'changed' ? change.previous.status?.holder?.sessionUID : undefined;
    if (before !== change.object.status?.holder?.sessionUID) disturb();
  });
  caches.tenants.onChange(disturb);
  caches.pools.onChange(disturb);

  function recount(): void {
    dirty = false;
    const tenants = new Map<string, TenantLoad>();
    const pools = new Map<string, PoolLoad>();
    const waiting: Waiting[] = [];
    const grants = [...granted.values()];
    for (const session of caches.sessions.store.by('stage', 'waiting')) {
      if (granted.has(session.metadata.uid)) continue;
      const tenant = tenantOf(caches, session);
      if (!tenant || isProfileTaken(session, profileOf(session))) continue;
      const { name } = tenant.metadata;
      const namespace = tenant.spec.namespace;
      const { limits, weight, paused, whenFull } = tenant.spec;
      const inNamespace = (stage: string): number =>
        caches.sessions.store.by('stageInNamespace', `${stage}/${namespace}`).length;
      if (!tenants.has(name)) {
        tenants.set(name, {
          weight: weight ?? TENANT_DEFAULTS.weight,
          limit: limits?.concurrentSessions ?? TENANT_DEFAULTS.concurrentSessions,
          queueLimit: limits?.queuedSessions ?? TENANT_DEFAULTS.queuedSessions,
          paused: paused ?? false,
          active: inNamespace('active') + grants.filter((grant) => grant.namespace === namespace).length,
          rate: rate.stateOf(namespace, limits?.createsPerMinute ?? TENANT_DEFAULTS.createsPerMinute),
        });
      }
      const pool = `${namespace}/${poolNameOf(session, tenant)}`;
      if (!pools.has(pool)) {
        pools.set(pool, {
          limit: caches.pools.store.get(pool)?.spec.maxSessions ?? Number.POSITIVE_INFINITY,
          active:
            caches.sessions.store.by('activeInPool', pool).length +
            grants.filter((grant) => grant.pool === pool).length,
        });
      }
      waiting.push({
        uid: session.metadata.uid,
        tenant: name,
        pool,
        priority: session.spec.priority ?? 0,
        createdAt: Date.parse(session.metadata.creationTimestamp),
        isNew: session.status?.phase === undefined,
        whenFull:
          session.metadata.annotations?.[ANNOTATION.whenFull] === 'Reject' || whenFull === 'Reject'
            ? 'Reject'
            : 'Queue',
        fromManifest: isFromManifest(session),
      });
    }
    const startSlots = options.maxStarting - caches.sessions.store.by('stage', 'starting').length - granted.size;
    verdicts = admit({ waiting, tenants, pools, startSlots });
    staleAt = Number.POSITIVE_INFINITY;
    const held: { namespace: string; pool: string; reason: string }[] = [];
    for (const one of waiting) {
      const verdict = verdicts.get(one.uid);
      const namespace = one.pool.split('/')[0]!;
      if (verdict?.state === 'waiting') {
        held.push({ namespace, pool: one.pool, reason: verdict.reason });
        staleAt = Math.min(staleAt, verdict.until ?? Number.POSITIVE_INFINITY);
      }
      if (verdict?.state !== 'admitted') continue;
      granted.set(one.uid, { namespace, pool: one.pool });
      if (one.fromManifest) rate.admitted(namespace);
      const session = caches.sessions.store.getByUid(one.uid);
      if (session) options.onVerdict(keyOf(session));
    }
    options.onWanted(placesWanted(held));
  }

  return {
    verdictOn(session) {
      if (dirty || now() >= staleAt) recount();
      return granted.has(session.metadata.uid) ? { state: 'admitted' } : verdicts.get(session.metadata.uid);
    },
  };
}
