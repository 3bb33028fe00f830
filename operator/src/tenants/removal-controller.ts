import { TERMINAL_PHASES } from '@podwright/api/kinds/session';
import { LABEL } from '@podwright/api/names';
import type { Client } from '@podwright/kube/client';
import type { EventRecorder } from '@podwright/kube/event-recorder';
import { isConflict, isNotFound } from '@podwright/kube/kube-error';
import type { Namespace } from '@podwright/kube/objects';
import type { Log } from '@podwright/kube/reflector';
import { RESOURCE } from '@podwright/kube/resource';
import { type PassFact, type WorkQueue, startWorkQueue } from '@podwright/kube/work-queue';
import type { Caches } from '../caches.ts';
import { isLeaving, tenantOfNamespace } from '../lookup.ts';
import { labelValue } from '../pods/pod-names.ts';
import { isTerminating } from '../pods/pod-state.ts';
import { type Leftovers, decideRemoval, tenantLabelOf } from './removal.ts';

export interface RemovalController {
  queue: WorkQueue;
  /** What is left of a tenant that was removed from this namespace; undefined when none was. */
  leftovers: (namespace: string) => Leftovers | undefined;
  stop(): Promise<void>;
}

/** Ends tenants that were deleted: waits for their browsers to be gone, forgets their keys, lets their namespaces go. */
export function startRemovalController(options: {
  client: Client;
  caches: Caches;
  /** Where the Secrets of API keys are. */
  releaseNamespace: string;
  events: EventRecorder;
  /** Something changed in what is left: pools show it. */
  onProgress: (namespace: string) => void;
  onDone: (fact: PassFact) => void;
  now: () => number;
  log: Log;
}): RemovalController {
  const { client, caches, releaseNamespace, events, log } = options;
  /** Tenants seen to go, by namespace: their namespace may be gone before they are. */
  const seenGone = new Map<string, string>();

  const removedFrom = (namespace: string): string | undefined =>
    seenGone.get(namespace) ?? tenantLabelOf(caches.namespaces.store.get(namespace));
  /** As the label of its namespace names it. */
  const ownerOf = (namespace: string): string | undefined => {
    const owner = tenantOfNamespace(caches, namespace);
    return owner && labelValue(owner.metadata.name);
  };
  const countLeft = (namespace: string): Leftovers => ({
    sessions: caches.sessions.store
      .by('namespace', namespace)
      .filter(({ status }) => status?.phase === undefined || !TERMINAL_PHASES.has(status.phase)).length,
    pods: caches.pods.store.by('namespace', namespace).length,
  });

  async function forgetKeys(tenant: string, signal: AbortSignal): Promise<number> {
    const labelSelector = `${LABEL.apiKey}=true,${LABEL.tenant}=${tenant}`;
    const { items } = await client.list(RESOURCE.secrets, { namespace: releaseNamespace, labelSelector, signal });
    for (const { metadata } of items) {
      const target = { namespace: releaseNamespace, name: metadata.name };
      await client.delete(RESOURCE.secrets, target, { uid: metadata.uid, signal });
    }
    return items.length;
  }

  /** Policies first and the label last: as long as it stands, this is done again. */
  async function release(namespace: Namespace): Promise<void> {
    const { name } = namespace.metadata;
    for (const { metadata } of caches.policies.store.by('namespace', name)) {
      await client.delete(RESOURCE.networkPolicies, { namespace: name, name: metadata.name }, { uid: metadata.uid });
    }
    for (const { metadata } of caches.budgets.store.by('namespace', name)) {
      await client.delete(
        RESOURCE.podDisruptionBudgets,
        { namespace: name, name: metadata.name },
        { uid: metadata.uid },
      );
    }
    const body = { metadata: { labels: { [LABEL.tenant]: null } } };
    caches.namespaces.remember(await client.patch(RESOURCE.namespaces, { name }, { type: 'merge', body }));
  }

  async function work(name: string, signal: AbortSignal): Promise<void> {
    const namespace = caches.namespaces.store.get(name);
    const removed = removedFrom(name);
    const plan = decideRemoval({
      removed,
      owner: ownerOf(name),
      nameInUse: caches.tenants.store
        .list()
        .some((tenant) => labelValue(tenant.metadata.name) === removed && !isLeaving(tenant)),
      namespace,
      isTerminating: isTerminating(namespace),
      leftovers: countLeft(name),
    });
    if (plan.do === 'wait') options.onProgress(name);
    if (plan.do === 'nothing') seenGone.delete(name);
    if (plan.do !== 'finish') return;
    const keys = plan.forgetKeys ? await forgetKeys(removed!, signal) : 0;
    if (plan.release) await release(namespace!).catch(ignoreGone);
    seenGone.delete(name);
    options.onProgress(name);
    log.info({ tenant: removed, namespace: name, keys }, 'tenant removed');
    if (!namespace) return;
    const note = `tenant ${removed} was removed: its sessions have ended, its pods are gone, ${keys} keys were forgotten`;
    events.record(namespace, { type: 'Normal', reason: 'TenantRemoved', action: 'Remove', note });
  }

  const queue = startWorkQueue({ ...options, name: 'removals', work, concurrency: 2 });
  /** Most namespaces are of a tenant that is there, or of none. */
  const look = (namespace: string | undefined): void => {
    if (namespace === undefined || removedFrom(namespace) === undefined) return;
    if (removedFrom(namespace) !== ownerOf(namespace)) queue.add(namespace);
  };
  const unsubscribe = [
    caches.tenants.onChange(({ type, object }) => {
      const { namespace } = object.spec;
      if (type === 'removed' || isLeaving(object)) seenGone.set(namespace, labelValue(object.metadata.name));
      look(namespace);
    }),
    caches.namespaces.onChange(({ object }) => look(object.metadata.name)),
    caches.sessions.onChange(({ object }) => look(object.metadata.namespace)),
    caches.pods.onChange(({ object }) => look(object.metadata.namespace)),
  ];
  return {
    queue,
    leftovers: (namespace) =>
      removedFrom(namespace) !== undefined && tenantOfNamespace(caches, namespace) === undefined
        ? countLeft(namespace)
        : undefined,
    async stop() {
      for (const end of unsubscribe) end();
      await queue.stop();
    },
  };
}

/** The namespace went, or changed, meanwhile: the event that tells so brings the next look. */
function ignoreGone(error: unknown): void {
  if (!isNotFound(error) && !isConflict(error)) throw error;
}
