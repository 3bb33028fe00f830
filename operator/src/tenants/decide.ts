import type { TenantReason } from '@podwright/api/conditions';
import type { Condition } from '@podwright/api/kinds/shared';
import type { BrowserTenant, BrowserTenantStatus } from '@podwright/api/kinds/tenant';
import { LABEL } from '@podwright/api/names';
import { safeText } from '@podwright/api/safe-text';
import type { Namespace, NetworkPolicy, PodDisruptionBudget } from '@podwright/kube/objects';
import { canonicalJson } from '../canonical-json.ts';
import { isTerminating } from '../pods/pod-state.ts';
import { labelValue } from '../pods/pod-names.ts';
import { DESIRED_BUDGET } from './disruption-budget.ts';
import type { DesiredPolicy } from './network-policies.ts';

export interface TenantObservation {
  now: number;
  tenant: BrowserTenant;
  /** The tenant that owns the namespace when several name it. */
  owner: BrowserTenant | undefined;
  namespace: Namespace | undefined;
  /** Policies of ours that are there. */
  existing: NetworkPolicy[];
  /** The budget of ours that is there. */
  budget: PodDisruptionBudget | undefined;
  desired: DesiredPolicy[];
  problems: string[];
  running: number;
  queued: number;
}

export interface TenantPlan {
  /** Labels the namespace lacks. */
  labels: Record<string, string> | undefined;
  apply: DesiredPolicy[];
  remove: NetworkPolicy[];
  applyBudget: boolean;
  status: BrowserTenantStatus;
}

/** What isolates a tenant: labels and policies of its namespace. The namespace itself is the platform's to make. */
export function decideTenant(observation: TenantObservation): TenantPlan {
  const { tenant, owner, namespace, existing, desired } = observation;
  const nothing = { labels: undefined, apply: [], remove: [], applyBudget: false };
  const name = tenant.spec.namespace;
  if (tenant.metadata.deletionTimestamp !== undefined) {
    const words = `the tenant is being deleted; ${observation.running} sessions are still running`;
    return { ...nothing, status: statusOf(observation, 'False', 'Removing', words) };
  }
  if (owner && owner.metadata.uid !== tenant.metadata.uid) {
    const words = `namespace ${name} belongs to tenant ${owner.metadata.name}`;
    return { ...nothing, status: statusOf(observation, 'False', 'NamespaceTaken', words) };
  }
  if (!namespace) {
    return { ...nothing, status: statusOf(observation, 'False', 'NamespaceMissing', `there is no namespace ${name}`) };
  }
  if (isTerminating(namespace)) {
    const words = `namespace ${name} is being deleted`;
    return { ...nothing, status: statusOf(observation, 'False', 'NamespaceTerminating', words) };
  }
  const wanted = {
    [LABEL.tenant]: labelValue(tenant.metadata.name),
    'pod-security.kubernetes.io/enforce': 'restricted',
    'pod-security.kubernetes.io/warn': 'restricted',
  };
  const present = namespace.metadata.labels ?? {};
  const lacks = Object.entries(wanted).some(([label, value]) => present[label] !== value);
  const apply = desired.filter(({ name: policy, spec }) => {
    const found = existing.find(({ metadata }) => metadata.name === policy);
    return !found || canonicalJson(found.spec) !== canonicalJson(spec);
  });
  const remove = existing.filter(({ metadata }) => !desired.some(({ name: policy }) => policy === metadata.name));
  const status =
    observation.problems.length > 0
      ? statusOf(observation, 'True', 'IsolatedWithGaps', `not opened: ${observation.problems.join('; ')}`)
      : statusOf(observation, 'True', 'Isolated', `namespace ${name} carries ${desired.length} policies`);
  const applyBudget = canonicalJson(observation.budget?.spec) !== canonicalJson(DESIRED_BUDGET);
  return { labels: lacks ? wanted : undefined, apply, remove, applyBudget, status };
}

function statusOf(
  { tenant, now, running, queued }: TenantObservation,
  status: Condition['status'],
  reason: TenantReason,
  message: string,
): BrowserTenantStatus {
  const before = tenant.status?.conditions?.find((condition) => condition.type === 'Ready');
  const generation = tenant.metadata.generation;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : new Date(now).toISOString();
  const ready: Condition = {
    type: 'Ready',
    status,
    reason,
    message: safeText(message, 1_000),
    lastTransitionTime,
    ...observed,
  };
  return { conditions: [ready], running, queued, ...observed };
}
