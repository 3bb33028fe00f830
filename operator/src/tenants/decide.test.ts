import type { Namespace, NetworkPolicy, PodDisruptionBudget } from '@podwright/kube/objects';
import { describe, expect, test } from 'vitest';
import { at, tenant, time } from '../testing/objects.ts';
import { type TenantObservation, decideTenant } from './decide.ts';
import { DESIRED_BUDGET } from './disruption-budget.ts';

const spec: NetworkPolicy['spec'] = { podSelector: {}, policyTypes: ['Ingress', 'Egress'] };
const policy = (name: string, over: Partial<NetworkPolicy['spec']> = {}): NetworkPolicy => ({
  metadata: { name, namespace: 'ns', uid: name, resourceVersion: '1', creationTimestamp: time(0) },
  spec: { ...spec, ...over },
});
const budget = (budgetSpec: PodDisruptionBudget['spec']): PodDisruptionBudget => ({
  metadata: { name: 'b', namespace: 'ns', uid: 'b', resourceVersion: '1', creationTimestamp: time(0) },
  spec: budgetSpec,
});
const leaving = tenant();
leaving.metadata = { ...leaving.metadata, deletionTimestamp: time(9) };
const namespace = (labels: Record<string, string> = {}, phase = 'Active'): Namespace => ({
  metadata: { name: 'ns', uid: 'ns', resourceVersion: '1', creationTimestamp: time(0), labels },
  status: { phase },
});
const labelled = {
  'podwright.dev/tenant': 't',
  'pod-security.kubernetes.io/enforce': 'restricted',
  'pod-security.kubernetes.io/warn': 'restricted',
};

const decide = (over: Partial<TenantObservation> = {}) => {
  const plan = decideTenant({
    now: at(10),
    tenant: tenant(),
    owner: tenant(),
    namespace: namespace(labelled),
    existing: [policy('deny')],
    budget: budget(DESIRED_BUDGET),
    desired: [{ name: 'deny', spec }],
    problems: [],
    running: 1,
    queued: 2,
    ...over,
  });
  const [ready] = plan.status.conditions ?? [];
  return {
    labels: plan.labels !== undefined,
    apply: plan.apply.map(({ name }) => name),
    remove: plan.remove.map(({ metadata }) => metadata.name),
    budget: plan.applyBudget,
    ready: `${ready?.status} ${ready?.reason}`,
  };
};

describe('a tenant', () => {
  const nothing = { labels: false, apply: [], remove: [], budget: false, ready: 'True Isolated' };
  test.each<[string, Partial<TenantObservation>, ReturnType<typeof decide>]>([
    ['that is in order is left alone', {}, nothing],
    ['without labels gets them', { namespace: namespace() }, { ...nothing, labels: true }],
    ['whose policy is missing gets it', { existing: [] }, { ...nothing, apply: ['deny'] }],
    [
      'whose policy was opened gets it back',
      { existing: [policy('deny', { policyTypes: ['Ingress'] })] },
      { ...nothing, apply: ['deny'] },
    ],
    [
      'loses a policy that is not wanted any more',
      { existing: [policy('deny'), policy('old')] },
      { ...nothing, remove: ['old'] },
    ],
    ['whose pods nothing keeps from being evicted gets a budget', { budget: undefined }, { ...nothing, budget: true }],
    [
      'whose budget was loosened gets it back',
      { budget: budget({ ...DESIRED_BUDGET, minAvailable: 0 }) },
      { ...nothing, budget: true },
    ],
    [
      'that is being deleted keeps what isolates it and says so',
      { tenant: leaving, existing: [], budget: undefined },
      { ...nothing, ready: 'False Removing' },
    ],
    ['without a namespace waits', { namespace: undefined }, { ...nothing, ready: 'False NamespaceMissing' }],
    [
      'whose namespace goes writes nothing into it',
      { namespace: namespace({}, 'Terminating'), existing: [] },
      { ...nothing, ready: 'False NamespaceTerminating' },
    ],
    [
      'that names the namespace of another is told',
      { owner: tenant({}, 'first') },
      { ...nothing, ready: 'False NamespaceTaken' },
    ],
    [
      'with something that cannot be opened says so',
      { problems: ['x'] },
      { ...nothing, ready: 'True IsolatedWithGaps' },
    ],
  ])('%s', (_name, over, expected) => {
    expect(decide(over)).toEqual(expected);
  });
});
