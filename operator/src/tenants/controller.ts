import type { BrowserTenant } from '@podwright/api/kinds/tenant';
import { FIELD_MANAGER } from '@podwright/api/names';
import { applyStatus } from '@podwright/kube/apply-status';
import type { Client } from '@podwright/kube/client';
import type { Log } from '@podwright/kube/reflector';
import { RESOURCE } from '@podwright/kube/resource';
import { type PassFact, type WorkQueue, startWorkQueue } from '@podwright/kube/work-queue';
import type { Caches } from '../caches.ts';
import { canonicalJson } from '../canonical-json.ts';
import { tenantOfNamespace } from '../lookup.ts';
import { decideTenant } from './decide.ts';
import { BUDGET_NAME, DESIRED_BUDGET } from './disruption-budget.ts';
import { MANAGED_BY, networkPolicies } from './network-policies.ts';

/** Counts in a tenant's status change with every session; they are written this often at most. */
const COUNTS_EVERY_MS = 5_000;

export function startTenantController(options: {
  client: Client;
  caches: Caches;
  releaseNamespace: string;
  clusterCidrs: readonly string[];
  onDone: (fact: PassFact) => void;
  now: () => number;
  log: Log;
}): { queue: WorkQueue; stop(): Promise<void> } {
  const { client, caches, now } = options;
  const countsWrittenAt = new Map<string, number>();

  async function work(name: string): Promise<{ at?: number }> {
    const tenant = caches.tenants.store.get(name);
    if (!tenant) {
      countsWrittenAt.delete(name);
      return {};
    }
    const { namespace } = tenant.spec;
    const { policies: desired, problems } = networkPolicies({
      ...options,
      pools: caches.pools.store.by('namespace', namespace),
      serviceOf: (key) => caches.services.store.get(key),
    });
    const inStage = (stage: string): number =>
      caches.sessions.store.by('stageInNamespace', `${stage}/${namespace}`).length;
    const plan = decideTenant({
      now: now(),
      tenant,
      owner: tenantOfNamespace(caches, namespace),
      namespace: caches.namespaces.store.get(namespace),
      existing: caches.policies.store.by('namespace', namespace),
      budget: caches.budgets.store.get(`${namespace}/${BUDGET_NAME}`),
      desired,
      problems,
      running: inStage('active'),
      queued: inStage('waiting'),
    });
    const force = { fieldManager: FIELD_MANAGER.operator };
    if (plan.labels) {
      const body = { metadata: { labels: plan.labels } };
      caches.namespaces.remember(
        await client.patch(RESOURCE.namespaces, { name: namespace }, { type: 'merge', body }, force),
      );
    }
    for (const { name: policy, spec } of plan.apply) {
      const metadata = { namespace, name: policy, labels: MANAGED_BY };
      caches.policies.remember(await client.apply(RESOURCE.networkPolicies, { metadata, spec }, force));
    }
    for (const { metadata } of plan.remove) {
      await client.delete(RESOURCE.networkPolicies, { namespace, name: metadata.name }, { uid: metadata.uid });
    }
    if (plan.applyBudget) {
      const metadata = { namespace, name: BUDGET_NAME, labels: MANAGED_BY };
      const budget = { metadata, spec: DESIRED_BUDGET };
      caches.budgets.remember(await client.apply(RESOURCE.podDisruptionBudgets, budget, force));
    }
    return writeStatus(tenant, plan.status);
  }

  /** Writes when a condition changed, or when counts changed and were not written a moment ago. */
  async function writeStatus(
    tenant: BrowserTenant,
    status: NonNullable<BrowserTenant['status']>,
  ): Promise<{ at?: number }> {
    if (canonicalJson(tenant.status) === canonicalJson(status)) return {};
    const { name } = tenant.metadata;
    const due = (countsWrittenAt.get(name) ?? 0) + COUNTS_EVERY_MS;
    const onlyCounts = canonicalJson(tenant.status?.conditions) === canonicalJson(status.conditions);
    if (onlyCounts && now() < due) return { at: due };
    countsWrittenAt.set(name, now());
    const how = { fieldManager: FIELD_MANAGER.operator };
    const written = await applyStatus(client, RESOURCE.browserTenants, tenant, status, how);
    if (written) caches.tenants.remember(written);
    return {};
  }

  const queue = startWorkQueue({ ...options, name: 'tenants', work, concurrency: 4 });
  const addAll = (): void => caches.tenants.store.list().forEach((tenant) => queue.add(tenant.metadata.name));
  const addOf = (namespace: string | undefined): void =>
    caches.tenants.store.by('namespace', namespace ?? '').forEach((tenant) => queue.add(tenant.metadata.name));
  const unsubscribe = [
    caches.tenants.onChange((change) => {
      queue.add(change.object.metadata.name);
      // Another tenant may have waited for the namespace.
      if (change.type === 'removed') addOf(change.object.spec.namespace);
    }),
    caches.namespaces.onChange(({ object }) => addOf(object.metadata.name)),
    caches.policies.onChange(({ object }) => addOf(object.metadata.namespace)),
    caches.budgets.onChange(({ object }) => addOf(object.metadata.namespace)),
    caches.pools.onChange(({ object }) => addOf(object.metadata.namespace)),
    caches.services.onChange(addAll),
    caches.sessions.onChange(({ object }) => addOf(object.metadata.namespace)),
  ];
  return {
    queue,
    async stop() {
      for (const end of unsubscribe) end();
      await queue.stop();
    },
  };
}
