import type { BrowserPool } from '@podwright/api/kinds/pool';
import type { BrowserSession } from '@podwright/api/kinds/session';
import { type BrowserTenant, TENANT_DEFAULTS } from '@podwright/api/kinds/tenant';
import type { Pod } from '@podwright/kube/objects';
import type { Caches } from './caches.ts';
import { labelValue } from './pods/pod-names.ts';
import { podFailure } from './pods/pod-failure.ts';
import { isBroken, isDeleting, isReady, nodeStateOf } from './pods/pod-state.ts';
import { LABEL } from '@podwright/api/names';

/** Questions that several parts ask the caches, answered in one place. */

/** Deleted, and held up by somebody's finalizer: for its sessions it is gone. */
export const isLeaving = ({ metadata }: BrowserTenant): boolean => metadata.deletionTimestamp !== undefined;

/** The tenant of a namespace; of several that claim it, the oldest. */
export function tenantOfNamespace(caches: Pick<Caches, 'tenants'>, namespace: string): BrowserTenant | undefined {
  return caches.tenants.store
    .by('namespace', namespace)
    .filter((tenant) => !isLeaving(tenant))
    .toSorted((a, b) => a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp))[0];
}

export const tenantOf = (caches: Pick<Caches, 'tenants'>, session: BrowserSession): BrowserTenant | undefined =>
  tenantOfNamespace(caches, session.metadata.namespace ?? '');

export const poolNameOf = (session: BrowserSession, tenant: BrowserTenant | undefined): string =>
  session.status?.poolName ?? session.spec.poolRef?.name ?? tenant?.spec.defaultPool ?? TENANT_DEFAULTS.defaultPool;

export const podsOfPool = (caches: Pick<Caches, 'pods'>, pool: BrowserPool): Pod[] =>
  caches.pods.store.by('pool', `${pool.metadata.namespace}/${labelValue(pool.metadata.name)}`);

/**
 * Warm pods that may be claimed now: never used, their own probe passed, nothing ends them, template and node are good.
 * In no order.
 */
export function claimable(
  caches: Pick<Caches, 'pods' | 'nodes'>,
  pool: BrowserPool,
  templateHash: string,
  now: number,
): Pod[] {
  return caches.pods.store
    .by('unclaimed', `${pool.metadata.namespace}/${labelValue(pool.metadata.name)}`)
    .filter(
      (pod) =>
        pod.metadata.labels?.[LABEL.sessionUid] === undefined &&
        isReady(pod) &&
        !isDeleting(pod) &&
        !isBroken(pod) &&
        podFailure(pod) === undefined &&
        pod.metadata.labels?.[LABEL.templateHash] === templateHash &&
        nodeStateOf(pod, caches.nodes.store.get(pod.spec.nodeName ?? ''), now) === 'good',
    );
}

/** The one that has waited longest. A pool may have a thousand, and one is wanted: no sort. */
export function oldest(pods: readonly Pod[]): Pod | undefined {
  let found = pods[0];
  for (const pod of pods) if (pod.metadata.creationTimestamp < found!.metadata.creationTimestamp) found = pod;
  return found;
}
