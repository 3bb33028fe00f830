import type { Node, Pod } from '@podwright/kube/objects';
import { describe, expect, test } from 'vitest';
import { pod, pool, time } from '../testing/objects.ts';
import { confinementOf } from './confinement.ts';

const node = (name: string, userNamespaces: boolean): Node => ({
  metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: time(0) },
  status: { runtimeHandlers: [{ name: '', features: { userNamespaces } }] },
});
type Mode = NonNullable<ReturnType<typeof pool>['spec']['sandbox']>['mode'];
const confinement = (mode: Mode, over: { nodes?: Node[]; pods?: Pod[]; offence?: string } = {}) => {
  const { status, reason, message } = confinementOf({
    pool: pool({ sandbox: { mode: mode! } }),
    offence: over.offence,
    nodes: over.nodes ?? [node('new', true)],
    pods: over.pods ?? [],
  });
  return `${status} ${reason}: ${message}`;
};
const noProfile = pod({
  name: 'a',
  node: 'n1',
  browser: { waiting: { reason: 'CreateContainerError', message: 'cannot load seccomp profile "/x": no such file' } },
});
const noNamespaces = pod({
  name: 'b',
  node: 'n2',
  browser: { terminated: { exitCode: 70, message: '{"exit":"chromium","error":"no unprivileged user namespaces"}' } },
});

describe('what a pool is told of its confinement', () => {
  test.each([
    ['nodes that give all', confinement('Auto'), 'True AsAsked: nodes give what sandbox mode Auto asks for'],
    [
      'Auto on an old node falls back, and says where',
      confinement('Auto', { nodes: [node('new', true), node('old', false)] }),
      'True AsAsked: nodes give what sandbox mode Auto asks for; no user namespaces for pods on old',
    ],
    [
      'UserNamespace on an old node',
      confinement('UserNamespace', { nodes: [node('old', false)] }),
      'False NodeLacks: no user namespaces for pods (container runtime or kernel too old) on old',
    ],
    ['Seccomp on an old node', confinement('Seccomp', { nodes: [node('old', false)] }).slice(0, 12), 'True AsAsked'],
    [
      'a node without the profile',
      confinement('Seccomp', { pods: [noProfile] }),
      'False NodeLacks: the seccomp profile of the browser is not on n1',
    ],
    [
      'a node that forbids unprivileged user namespaces',
      confinement('Seccomp', { pods: [noNamespaces] }),
      'False NodeLacks: unprivileged user namespaces are switched off on n2 (AppArmor or sysctl)',
    ],
    ['what it may not have', confinement('None', { offence: 'not None' }), 'False NotAllowed: not None'],
    ['None that it may have', confinement('None').slice(0, 12), 'True AsAsked'],
  ])('%s', (_, found, expected) => {
    expect(found).toBe(expected);
  });
});
