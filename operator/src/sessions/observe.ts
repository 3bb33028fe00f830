import type { BrowserSession } from '@podwright/api/kinds/session';
import type { Caches } from '../caches.ts';
import { claimable, poolNameOf, tenantOf } from '../lookup.ts';
import type { CreateGate } from '../pods/create-gate.ts';
import { isTerminating } from '../pods/pod-state.ts';
import type { Templates } from '../pods/templates.ts';
import { holderState } from '../profiles/holder.ts';
import type { Admitter } from './admitter.ts';
import { type ClockGuard, isLate } from './clock-guard.ts';
import type { Memory, Observation, SecretsCheck } from './observation.ts';

/** Reads what a decision about `session` rests on: caches and memory only, so that it is of one instant. */
export function observe(options: {
  session: BrowserSession;
  caches: Caches;
  templates: Templates;
  admitter: Admitter;
  memory: Memory;
  secrets: SecretsCheck;
  /** Pods that other workers are claiming right now. */
  reserved: ReadonlySet<string>;
  gate: Pick<CreateGate, 'closed'>;
  clock: Pick<ClockGuard, 'isHeld'>;
  now: number;
}): Observation {
  const { session, caches, memory } = options;
  const namespace = session.metadata.namespace ?? '';
  const tenant = tenantOf(caches, session);
  const pool = caches.pools.store.get(`${namespace}/${poolNameOf(session, tenant)}`);
  const { profileRef } = session.spec;
  const profile = profileRef && caches.profiles.store.get(`${namespace}/${profileRef.name}`);
  const pods = caches.pods.store
    .by('sessionUid', session.metadata.uid)
    .filter((pod) => pod.metadata.namespace === namespace)
    .toSorted((a, b) => first(b, session) - first(a, session));
  const nodeName = pods[0]?.spec.nodeName ?? session.status?.nodeName;
  const node = nodeName === undefined ? undefined : caches.nodes.store.get(nodeName);
  // Asked for only by a session that has no pod: the many that have one pass here often.
  const template = pods.length === 0 && pool && tenant ? options.templates.of(pool, tenant.metadata.name) : undefined;
  const warm = pool && template ? claimable(caches, pool, template.hash, options.now) : [];
  return {
    now: options.now,
    session,
    tenant,
    pool,
    poolOffence: template?.offence,
    profile,
    profileHolder: profile ? holderState(profile, caches.sessions.store) : 'none',
    pods,
    node,
    nodeGone: nodeName !== undefined && node === undefined,
    warmPods: warm.filter((pod) => !options.reserved.has(pod.metadata.uid)).length,
    // A pod that carries the UID was admitted, whatever status says: the write after the claim may have been lost.
    verdict: pods.length > 0 ? { state: 'admitted' } : options.admitter.verdictOn(session),
    secrets: options.secrets,
    namespaceTerminating: isTerminating(caches.namespaces.store.get(namespace)),
    clockHeld: options.clock.isHeld(isLate(session, options.now)),
    createsPaused: pods.length === 0 ? options.gate.closed(namespace) : undefined,
    memory,
  };
}

/** The pod that status names comes first; a second one, from a lost answer, is only ever deleted. */
const first = (pod: { metadata: { uid: string } }, session: BrowserSession): number =>
  pod.metadata.uid === session.status?.podUID ? 1 : 0;
