import type { BrowserPool } from '@podwright/api/kinds/pool';
import { GROUP_VERSION, SUPERVISOR_ENV } from '@podwright/api/names';
import type { PoolDefaults } from '@podwright/api/pod-door';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestTenant, conditionOf, createTenant, installation } from '../harness/installation.ts';
import { applyObjects, eventually, getObject, kubectl } from '../harness/kubectl.ts';
import { type World, createWorld } from './world/world.ts';

/** What a session says of its confinement is what its running pod shows, whatever was asked for. */
interface Pod {
  spec: {
    hostUsers?: boolean;
    runtimeClassName?: string;
    containers: {
      name: string;
      env: { name: string; value?: string }[];
      securityContext: { seccompProfile: object };
    }[];
  };
  status: { hostIP: string };
}

let world: World;
let tenant: TestTenant;
const runtimeClass = 'podwright-test-runc';

beforeAll(async () => {
  [world, tenant] = await Promise.all([createWorld(), createTenant('sandbox')]);
  await applyObjects([
    { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: runtimeClass }, handler: 'runc' },
  ]);
}, 240_000);
afterAll(async () => {
  await Promise.all([tenant?.remove(), world?.remove()]);
  await kubectl('delete', 'runtimeclass', runtimeClass, '--ignore-not-found');
});

async function poolWith(name: string, spec: object): Promise<void> {
  const base = (await getObject<BrowserPool>('bpool', 'default', tenant.namespace))!;
  await applyObjects([
    {
      apiVersion: GROUP_VERSION,
      kind: 'BrowserPool',
      metadata: { name, namespace: tenant.namespace },
      spec: { ...base.spec, ...spec },
    },
  ]);
}
const inBrowser = (pod: string, ...command: string[]): Promise<string> =>
  kubectl('exec', '-n', tenant.namespace, pod, '-c', 'browser', '--', ...command);
const isMapped = async (pod: string): Promise<boolean> =>
  !/^\s*0\s+0\s+4294967295/.test(await inBrowser(pod, 'cat', '/proc/self/uid_map'));

describe('a session', () => {
  test.each<[string, object, { found: RegExp; userNamespace: boolean; runtimeClass?: string }]>([
    ['auto', { mode: 'Auto' }, { found: /^UserNamespace; /, userNamespace: true }],
    ['seccomp', { mode: 'Seccomp' }, { found: /^Seccomp; /, userNamespace: false }],
    ['userns', { mode: 'UserNamespace' }, { found: /^UserNamespace; /, userNamespace: true }],
    [
      'runtime',
      { mode: 'RuntimeClass', runtimeClassName: runtimeClass },
      { found: new RegExp(`^Seccomp under runtime class ${runtimeClass}; `), userNamespace: false, runtimeClass },
    ],
  ])('in a pool of mode %s says what its pod shows', async (name, sandbox, expected) => {
    await poolWith(name, { sandbox });
    await tenant.session(name, { poolRef: { name } });
    const session = await tenant.phase(name, 'Ready');
    expect(conditionOf(session, 'Sandboxed')).toMatchObject({
      status: 'True',
      reason: 'SandboxVerified',
      message: expect.stringMatching(expected.found) as string,
    });
    const pod = session.status!.podName!;
    const { spec } = (await getObject<Pod>('pod', pod, tenant.namespace))!;
    expect(spec.hostUsers ?? true).toBe(!expected.userNamespace);
    expect(spec.runtimeClassName).toBe(expected.runtimeClass);
    expect(await isMapped(pod)).toBe(expected.userNamespace);
    // Chromium's own sandbox, read by somebody else than the launcher: renderers are in a namespace below the container's.
    const levels = await inBrowser(
      pod,
      'sh',
      '-c',
      "grep -l -- '--type=renderer' /proc/[0-9]*/cmdline 2>/dev/null | while read f; do grep NSpid ${f%cmdline}status; done",
    );
    const depths = levels
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).length - 1);
    const own = (await inBrowser(pod, 'grep', 'NSpid', '/proc/self/status')).trim().split(/\s+/).length - 1;
    expect(Math.min(...depths)).toBeGreaterThan(own);
    const pool = await getObject<BrowserPool>('bpool', name, tenant.namespace);
    expect(pool?.status?.conditions?.find(({ type }) => type === 'Confined')).toMatchObject({
      status: 'True',
      reason: 'AsAsked',
    });
  });

  test('whose node has no such runtime does not start, and says why', async () => {
    await poolWith('no-runtime', {
      sandbox: { mode: 'RuntimeClass', runtimeClassName: 'none-of-that-name' },
      lifetime: { startTimeout: '20s' },
    });
    await tenant.session('no-runtime', { poolRef: { name: 'no-runtime' } });
    const session = await eventually(
      'it has failed',
      () => tenant.get('no-runtime'),
      (seen) => seen?.status?.phase === 'Failed',
      60_000,
    );
    expect(JSON.stringify(session?.status?.conditions)).toContain('none-of-that-name');
  });
});

describe('the canaries of isolation', () => {
  test('each of them is reached by a pod without policies, so that failing means something', async () => {
    const session = (await tenant.get('seccomp'))!;
    const pod = (await getObject<Pod>('pod', session.status!.podName!, tenant.namespace))!;
    const supervisor = pod.spec.containers.find(({ name }) => name === 'supervisor')!;
    const text = supervisor.env.find(({ name }) => name === SUPERVISOR_ENV.poolDefaults)!.value!;
    const canaries = (JSON.parse(text) as PoolDefaults).canaries.map((one) =>
      one.replace('$(HOST_IP)', pod.status.hostIP),
    );
    expect(canaries.length).toBeGreaterThanOrEqual(4);
    expect(canaries).toContain(`${pod.status.hostIP}:10250`);
    const reached = await world.fromNeighbour(canaries);
    expect(canaries.filter((_, index) => !reached[index])).toEqual([]);
  });

  test('a session in a namespace with an opening is never Ready, and says what was reached', async () => {
    await applyObjects([
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { name: 'an-opening', namespace: tenant.namespace },
        spec: {
          podSelector: { matchLabels: { 'podwright.dev/pool': 'opened' } },
          policyTypes: ['Egress'],
          egress: [{}],
        },
      },
    ]);
    await poolWith('opened', { lifetime: { startTimeout: '45s' } });
    await tenant.session('opened', { poolRef: { name: 'opened' } });
    const session = await eventually(
      'it has failed',
      () => tenant.get('opened'),
      (seen) => seen?.status?.phase === 'Failed' || seen?.status?.phase === 'Ready',
      90_000,
    );
    expect(session?.status?.phase).toBe('Failed');
    expect(conditionOf(session, 'Isolated')).toMatchObject({
      status: 'False',
      reason: 'NotIsolated',
      message: expect.stringContaining(':10250') as string,
    });
    await kubectl('delete', 'networkpolicy', 'an-opening', '-n', tenant.namespace);
  });
});

const full = process.env['ISOLATION'] !== 'short';
if (full) {
  describe('sandbox mode None', () => {
    const operator = (...args: string[]): Promise<string> => kubectl(...args, '-n', installation().namespace);
    const allow = async (pools: string): Promise<void> => {
      await operator('set', 'env', 'deployment/podwright-operator', `PODWRIGHT_UNSANDBOXED_POOLS=${pools}`);
      await operator('rollout', 'status', 'deployment/podwright-operator', '--timeout=120s');
    };
    afterAll(() => allow(''));

    test('runs where the platform lists the pool, and the session says that there is no sandbox', async () => {
      await allow(`${tenant.namespace}/bare`);
      await poolWith('bare', { sandbox: { mode: 'None' } });
      await eventually(
        'the operator allows it',
        () => getObject<BrowserPool>('bpool', 'bare', tenant.namespace),
        (seen) =>
          seen?.status?.conditions?.some(({ type, reason }) => type === 'Confined' && reason === 'AsAsked') ?? false,
        60_000,
      );
      await tenant.session('bare', { poolRef: { name: 'bare' } });
      const session = await tenant.phase('bare', 'Ready');
      expect(conditionOf(session, 'Sandboxed')).toMatchObject({ status: 'False', reason: 'SandboxOff' });
      expect(conditionOf(session, 'Isolated')).toMatchObject({ status: 'True' });
    });
  });
}
