import type { BrowserProfile } from '@podwright/api/kinds/profile';
import type { BrowserTenant } from '@podwright/api/kinds/tenant';
import { GROUP_VERSION, LABEL } from '@podwright/api/names';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestTenant, conditionOf, createTenant, installation } from '../harness/installation.ts';
import { applyObjects, eventually, getObject, kubectl, listObjects } from '../harness/kubectl.ts';

interface Pod {
  metadata: { name: string; uid: string; labels: Record<string, string>; deletionTimestamp?: string };
}

let tenant: TestTenant;
beforeAll(async () => {
  tenant = await createTenant('oper', { pool: { warm: { min: 1, max: 1 } } });
});
afterAll(() => tenant?.remove());

const warmPods = async (): Promise<Pod[]> =>
  (await listObjects<Pod>('pods', tenant.namespace, `${LABEL.claimed}=false`)).filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
const warmIsReady = () =>
  eventually(
    'a warm pod is ready',
    () => kubectl('get', 'browserpool', 'default', '-n', tenant.namespace, '-o', 'jsonpath={.status.warm}'),
    (seen) => seen === '1',
    120_000,
  );

describe('a tenant', () => {
  test('has its namespace confined and closed', async () => {
    const namespace = await getObject<{ metadata: { labels: Record<string, string> } }>('namespace', tenant.namespace);
    expect(namespace?.metadata.labels).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'restricted',
      [LABEL.tenant]: tenant.name,
    });
    const policies = await kubectl('get', 'networkpolicies', '-n', tenant.namespace, '-o', 'name');
    for (const name of ['default-deny', 'door', 'dns', 'public']) expect(policies).toContain(`podwright-${name}`);
  });

  test('gets back a policy that somebody deleted or opened', async () => {
    const policy = 'podwright-default-deny';
    const spec = () =>
      kubectl('get', 'networkpolicy', policy, '-n', tenant.namespace, '-o', 'jsonpath={.spec.policyTypes}');
    await kubectl('delete', 'networkpolicy', policy, '-n', tenant.namespace);
    await eventually('the policy is back', spec, (seen) => seen.includes('Egress'), 20_000);
    const opened = '{"spec":{"policyTypes":["Ingress"]}}';
    await kubectl('patch', 'networkpolicy', policy, '-n', tenant.namespace, '--type=merge', '-p', opened);
    await eventually('the policy is closed again', spec, (seen) => seen.includes('Egress'), 20_000);
  });

  test('cannot take a namespace that belongs to another', async () => {
    const name = `${tenant.name}-thief`;
    await applyObjects([
      { apiVersion: GROUP_VERSION, kind: 'BrowserTenant', metadata: { name }, spec: { namespace: tenant.namespace } },
    ]);
    const thief = await eventually(
      'the second tenant is told',
      () => getObject<BrowserTenant>('browsertenant', name),
      (seen) => seen?.status?.conditions?.[0]?.reason === 'NamespaceTaken',
      20_000,
    );
    expect(thief?.status?.conditions?.[0]).toMatchObject({ type: 'Ready', status: 'False' });
    await kubectl('delete', 'browsertenant', name);
  });
});

describe('a pool', () => {
  test('replaces warm pods of an old template and leaves the claimed one alone', async () => {
    await warmIsReady();
    await tenant.session('steady');
    const before = await tenant.phase('steady', ['Ready', 'Idle']);
    expect(before.status?.start).toBe('warm');
    await warmIsReady();
    const [old] = await warmPods();
    const change = '{"spec":{"maxScreen":{"width":1280,"height":800}}}';
    await kubectl('patch', 'browserpool', 'default', '-n', tenant.namespace, '--type=merge', '-p', change);
    await eventually(
      'another warm pod of another template is ready',
      warmPods,
      (pods) =>
        pods.length === 1 && pods[0]?.metadata.labels[LABEL.templateHash] !== old?.metadata.labels[LABEL.templateHash],
      120_000,
    );
    const after = await tenant.get('steady');
    expect(after?.status).toMatchObject({ phase: before.status?.phase, podUID: before.status?.podUID });
  });

  test('replaces a warm pod that somebody killed', async () => {
    await warmIsReady();
    const [victim] = await warmPods();
    await kubectl('delete', 'pod', victim!.metadata.name, '-n', tenant.namespace, '--grace-period=0', '--force');
    await eventually(
      'there is another one',
      warmPods,
      (pods) => pods.length === 1 && pods[0]?.metadata.uid !== victim?.metadata.uid,
      60_000,
    );
  });
});

describe('a profile', () => {
  test('has one writer at a time; the next session of a tenant that waits goes on when it is free', async () => {
    const wait = JSON.stringify({ spec: { whenProfileBusy: 'Wait' } });
    await kubectl('patch', 'browsertenant', tenant.name, '--type=merge', `--patch=${wait}`);
    await applyObjects([
      {
        apiVersion: GROUP_VERSION,
        kind: 'BrowserProfile',
        metadata: { name: 'login', namespace: tenant.namespace },
        spec: {},
      },
    ]);
    const holder = async () =>
      (await getObject<BrowserProfile>('browserprofile', 'login', tenant.namespace))?.status?.holder?.sessionName;
    await tenant.session('writer', { profileRef: { name: 'login' } });
    const writer = await tenant.phase('writer', ['Ready', 'Idle']);
    expect(conditionOf(writer, 'ProfileLoaded')).toMatchObject({ status: 'True' });
    expect(await holder()).toBe('writer');
    await tenant.session('next', { profileRef: { name: 'login' } });
    const waiting = await eventually(
      'the second session waits',
      () => tenant.get('next'),
      (seen) => conditionOf(seen, 'Admitted')?.reason === 'ProfileInUse',
      20_000,
    );
    expect(waiting?.status?.message).toContain('writer');
    await kubectl('delete', 'bs', 'writer', '-n', tenant.namespace, '--timeout=90s');
    await tenant.phase('next', ['Ready', 'Idle']);
    expect(await holder()).toBe('next');
    await kubectl('delete', 'bs', 'next', '-n', tenant.namespace, '--timeout=90s');
    expect(await holder()).toBeUndefined();
  });
});

describe('leadership', () => {
  test('a session made right after the leader was killed is served by the next', async () => {
    const { namespace } = installation();
    const leader = async () =>
      (
        await kubectl('get', 'lease', 'podwright-operator', '-n', namespace, '-o', 'jsonpath={.spec.holderIdentity}')
      ).split('_')[0]!;
    const first = await leader();
    await kubectl('delete', 'pod', first, '-n', namespace, '--grace-period=0', '--force');
    await tenant.session('orphaned');
    await tenant.phase('orphaned', ['Ready', 'Idle']);
    expect(await leader()).not.toBe(first);
  });
});
