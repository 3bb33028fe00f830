import type { Namespace } from '@podwright/kube/objects';
import { expect, test } from 'vitest';
import { time } from '../testing/objects.ts';
import { type RemovalObservation, type RemovalPlan, decideRemoval, tenantLabelOf } from './removal.ts';

const namespace: Namespace = {
  metadata: {
    name: 'ns',
    uid: 'n',
    resourceVersion: '1',
    creationTimestamp: time(0),
    labels: { 'podwright.dev/tenant': 't' },
  },
};
const decide = (over: Partial<RemovalObservation>): RemovalPlan =>
  decideRemoval({
    removed: 't',
    owner: undefined,
    nameInUse: false,
    namespace,
    isTerminating: false,
    leftovers: { sessions: 0, pods: 0 },
    ...over,
  });

test.each<[string, Partial<RemovalObservation>, RemovalPlan]>([
  ['a namespace of no tenant is none of ours', { removed: undefined }, { do: 'nothing' }],
  ['a tenant that is there is not removed', { owner: 't', nameInUse: true }, { do: 'nothing' }],
  [
    'of one that named the namespace of another only the keys are left',
    { owner: 'u', leftovers: { sessions: 1, pods: 1 } },
    { do: 'finish', forgetKeys: true, release: false },
  ],
  ['while sessions stop it waits', { leftovers: { sessions: 1, pods: 0 } }, { do: 'wait' }],
  ['and until the last pod is proved gone', { leftovers: { sessions: 0, pods: 1 } }, { do: 'wait' }],
  ['then keys are forgotten and the namespace is let go', {}, { do: 'finish', forgetKeys: true, release: true }],
  [
    'keys of a name that is in use again are kept',
    { nameInUse: true },
    { do: 'finish', forgetKeys: false, release: true },
  ],
  [
    'nothing is written into a namespace that is being deleted',
    { isTerminating: true },
    { do: 'finish', forgetKeys: true, release: false },
  ],
  ['nor into one that is gone', { namespace: undefined }, { do: 'finish', forgetKeys: true, release: false }],
])('%s', (_name, over, expected) => {
  expect(decide(over)).toEqual(expected);
});

test('the namespace remembers whose it was', () => {
  expect([tenantLabelOf(namespace), tenantLabelOf(undefined)]).toEqual(['t', undefined]);
});
