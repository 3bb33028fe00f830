import { API_GROUP, LABEL } from '@podwright/api/names';
import { TERMINAL_PHASES, type BrowserSession } from '@podwright/api/kinds/session';
import type { BrowserPool } from '@podwright/api/kinds/pool';
import type { BrowserTenant } from '@podwright/api/kinds/tenant';
import type { Client } from '@podwright/kube/client';
import type { NetworkPolicy, Pod, PodDisruptionBudget } from '@podwright/kube/objects';
import type { Change } from '@podwright/kube/store';
import { type Log, type ReflectorHealth, startReflector } from '@podwright/kube/reflector';
import { RESOURCE } from '@podwright/kube/resource';
import { labelValue } from './pods/pod-names.ts';
import { isClaimed } from './pods/pod-state.ts';
import { createSlimPod } from './pods/slim-pod.ts';

/** Every cache of the operator, and every index by its name. */
export type Caches = ReturnType<typeof startCaches>;

/** Where a session is counted: it waits for a place, has one, or neither any more. */
export function stageOf(session: BrowserSession): 'waiting' | 'active' | 'over' {
  const { status, spec, metadata } = session;
  if (status?.phase !== undefined && TERMINAL_PHASES.has(status.phase)) return 'over';
  if (status?.conditions?.some(({ type, status: is }) => type === 'Admitted' && is === 'True')) return 'active';
  if (status?.podUID !== undefined) return 'active';
  return spec.stop === undefined && metadata.deletionTimestamp === undefined && status?.stoppingAt === undefined
    ? 'waiting'
    : 'over';
}

/** It has its place and waits for a ResourceQuota to let its pod in. */
export const isHeldByQuota = (session: BrowserSession): boolean =>
  stageOf(session) === 'active' && session.status?.reason === 'QuotaExceeded' && session.status.podUID === undefined;

/**
 * Admitted and not Ready yet: it holds a start slot. Not while a used-up quota refuses its pod or another session holds
 * its profile: those waits have no deadline, and one tenant's must not use up the slots of all.
 */
export function isStarting(session: BrowserSession): boolean {
  const { readyAt, stoppingAt, reason } = session.status ?? {};
  const waits = reason === 'QuotaExceeded' || reason === 'ProfileInUse';
  return stageOf(session) === 'active' && readyAt === undefined && stoppingAt === undefined && !waits;
}

const poolLabelOf = (pod: Pod): string => `${pod.metadata.namespace}/${pod.metadata.labels?.[LABEL.pool]}`;

export function startCaches(options: { client: Client; now: () => number; log: Log }) {
  const sessions = startReflector({
    ...options,
    resource: RESOURCE.browserSessions,
    indexes: {
      stage: (session: BrowserSession) => [stageOf(session), ...(isStarting(session) ? ['starting'] : [])],
      /** `active/<namespace>`, `waiting/<namespace>`: what a tenant has; `quota/<namespace>`: held back by a used-up quota. */
      stageInNamespace: (session: BrowserSession) => [
        `${stageOf(session)}/${session.metadata.namespace}`,
        ...(isHeldByQuota(session) ? [`quota/${session.metadata.namespace}`] : []),
      ],
      /** `<namespace>/<pool>` of active sessions. */
      activeInPool: (session: BrowserSession) =>
        stageOf(session) === 'active' ? [`${session.metadata.namespace}/${session.status?.poolName}`] : [],
      profile: (session: BrowserSession) =>
        session.spec.profileRef ? [`${session.metadata.namespace}/${session.spec.profileRef.name}`] : [],
      namespace: (session: BrowserSession) => [session.metadata.namespace ?? ''],
    },
  });
  const pools = startReflector({
    ...options,
    resource: RESOURCE.browserPools,
    indexes: {
      /** As pods name it: `<namespace>/<pool label>`. */
      label: (pool: BrowserPool) => [`${pool.metadata.namespace}/${labelValue(pool.metadata.name)}`],
      namespace: (pool: BrowserPool) => [pool.metadata.namespace ?? ''],
    },
  });
  const profiles = startReflector({ ...options, resource: RESOURCE.browserProfiles });
  const tenants = startReflector({
    ...options,
    resource: RESOURCE.browserTenants,
    indexes: { namespace: (tenant: BrowserTenant) => [tenant.spec.namespace] },
  });
  const pods = startReflector({
    ...options,
    resource: RESOURCE.pods,
    labelSelector: LABEL.pool,
    transform: createSlimPod(),
    indexes: {
      sessionUid: (pod: Pod) => [pod.metadata.labels?.[LABEL.sessionUid] ?? ''].filter((uid) => uid !== ''),
      /** `<namespace>/<pool label>` of every pod of a pool, claimed or not. */
      pool: (pod: Pod) => [poolLabelOf(pod)],
      namespace: (pod: Pod) => [pod.metadata.namespace ?? ''],
      /** The same of those that nobody has claimed: a claim looks at these, however many are in use. */
      unclaimed: (pod: Pod) => (isClaimed(pod) ? [] : [poolLabelOf(pod)]),
      node: (pod: Pod) => (pod.spec.nodeName === undefined ? [] : [pod.spec.nodeName]),
    },
  });
  const nodes = startReflector({
    ...options,
    resource: RESOURCE.nodes,
    // Kubelets report images and volumes every few minutes; nobody here reads them.
    transform: (node) => ({ ...node, status: { ...node.status, images: undefined } }),
  });
  const services = startReflector({ ...options, resource: RESOURCE.services });
  const namespaces = startReflector({ ...options, resource: RESOURCE.namespaces });
  const policies = startReflector({
    ...options,
    resource: RESOURCE.networkPolicies,
    labelSelector: `app.kubernetes.io/managed-by=${API_GROUP}`,
    indexes: { namespace: (policy: NetworkPolicy) => [policy.metadata.namespace ?? ''] },
  });
  const budgets = startReflector({
    ...options,
    resource: RESOURCE.podDisruptionBudgets,
    labelSelector: `app.kubernetes.io/managed-by=${API_GROUP}`,
    indexes: { namespace: (budget: PodDisruptionBudget) => [budget.metadata.namespace ?? ''] },
  });
  const all = { sessions, pools, profiles, tenants, pods, nodes, services, namespaces, policies, budgets };
  return {
    ...all,
    poolLabelOf,
    async synced(signal: AbortSignal): Promise<void> {
      await Promise.all(Object.values(all).map((reflector) => reflector.synced(signal)));
    },
    /** Sessions that a change of a pod concerns: the one it serves, and the one it served. */
    podSession(change: Change<Pod>): string[] {
      const uidOf = (pod: Pod): string | undefined => pod.metadata.labels?.[LABEL.sessionUid];
      const uids = [uidOf(change.object), change.type === 'changed' ? uidOf(change.previous) : undefined];
      return [...new Set(uids)].filter((uid) => uid !== undefined);
    },
    health: (): ReflectorHealth[] => Object.values(all).map((reflector) => reflector.health()),
    async stop(): Promise<void> {
      await Promise.all(Object.values(all).map((reflector) => reflector.stop()));
    },
  };
}
