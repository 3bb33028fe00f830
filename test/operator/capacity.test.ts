import { setTimeout as sleep } from 'node:timers/promises';
import { LABEL } from '@podwright/api/names';
import { RESOURCE, type ResourceType, type KubeObject } from '@podwright/kube/resource';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../harness/kubectl.ts';
import { type TestTenant, type World, isReady, startWorld } from './world.ts';

const QUOTAS = {
  group: '',
  version: 'v1',
  plural: 'resourcequotas',
  kind: 'ResourceQuota',
  namespaced: true,
} satisfies ResourceType<KubeObject & { spec?: { hard: Record<string, string> } }>;

let world: World;
const stopping = new AbortController();
beforeAll(async () => {
  world = await startWorld(stopping.signal);
});
afterAll(() => world?.stop());

const poolStatus = async (tenant: TestTenant) =>
  (await world.client.get(RESOURCE.browserPools, { namespace: tenant.namespace, name: 'default' })).status;
const warmAre = (tenant: TestTenant, count: number) =>
  eventually(
    `${count} warm pods are ready`,
    () => poolStatus(tenant),
    (status) => status?.warm === count,
    20_000,
  );

describe('a pool under load', () => {
  test('is filled once, raises its target with a burst, and neither makes nor deletes a pod too many', async () => {
    const tenant = await world.tenant({ pool: { warm: { min: 3, max: 8 } } });
    await warmAre(tenant, 3);
    expect(await world.requests(tenant.namespace, 'create', 'pods')).toHaveLength(3);
    const names = Array.from({ length: 6 }, (_one, index) => `burst-${index}`);
    await Promise.all(names.map((name) => tenant.session(name)));
    for (const name of names) await tenant.until(name, 'is ready', isReady);
    // Six within one start time want seven or eight; the claims of three were warm, the rest was made for them.
    const status = await eventually(
      'the target has followed and is met',
      () => poolStatus(tenant),
      (seen) => (seen?.target ?? 0) >= 7 && seen?.warm === seen?.target,
      30_000,
    );
    expect(status?.target).toBeLessThanOrEqual(8);
    await sleep(3_000);
    const created = (await world.requests(tenant.namespace, 'create', 'pods')).filter(({ code }) => code === 201);
    const pods = await tenant.pods();
    expect(pods).toHaveLength(names.length + status!.target!);
    // Every pod that was ever made is still of use.
    expect(created).toHaveLength(pods.length);
    expect(await world.requests(tenant.namespace, 'delete', 'pods')).toEqual([]);
  });

  test('gives its pods to one session each, without a conflict', async () => {
    const tenant = await world.tenant({ pool: { warm: { min: 4 } } });
    await warmAre(tenant, 4);
    const names = Array.from({ length: 4 }, (_one, index) => `one-${index}`);
    await Promise.all(names.map((name) => tenant.session(name)));
    const uids = new Set<string>();
    for (const name of names) {
      const { status } = await tenant.until(name, 'is ready', isReady);
      expect(status?.start).toBe('warm');
      uids.add(status!.podUID!);
    }
    expect(uids.size).toBe(4);
    const patches = await world.requests(tenant.namespace, 'patch', 'pods');
    expect(patches.filter(({ code }) => code === 409)).toEqual([]);
    expect(patches.filter(({ code }) => code === 200)).toHaveLength(4);
  });

  test('rolls a changed template pod by pod and leaves claimed pods alone', async () => {
    const tenant = await world.tenant({ pool: { warm: { min: 3 } } });
    await warmAre(tenant, 3);
    await tenant.session('steady');
    const steady = await tenant.until('steady', 'is ready', isReady);
    await warmAre(tenant, 3);
    const before = (await poolStatus(tenant))?.templateHash;
    const body = { spec: { image: 'simulated-browser:2' } };
    const target = { namespace: tenant.namespace, name: 'default' };
    await world.client.patch(RESOURCE.browserPools, target, { type: 'merge', body });
    let most = 0;
    await eventually(
      'all warm pods are new',
      async () => {
        const warm = await tenant.warm();
        most = Math.max(most, warm.length);
        return warm.map(({ metadata, status }) => ({
          hash: metadata.labels?.[LABEL.templateHash],
          ready: status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
        }));
      },
      (warm) => warm.length === 3 && warm.every(({ hash, ready }) => ready && hash !== before),
      30_000,
    );
    expect(most).toBeLessThanOrEqual(3);
    expect((await tenant.get('steady'))?.status).toMatchObject({ phase: 'Ready', podUID: steady.status?.podUID });
  });

  test('scaled to zero it keeps nothing, and the next session starts cold', async () => {
    const tenant = await world.tenant({ pool: { warm: { min: 2 } } });
    await warmAre(tenant, 2);
    const target = { namespace: tenant.namespace, name: 'default' };
    await world.client.patch(RESOURCE.browserPools, target, { type: 'merge', body: { spec: { warm: { min: 0 } } } });
    await eventually('no warm pod is left', tenant.warm, (warm) => warm.length === 0, 20_000);
    await tenant.session('cold');
    expect((await tenant.until('cold', 'is ready', isReady)).status?.start).toBe('cold');
  });
});

describe.concurrent('a used-up quota', () => {
  test('is waited out with a reason, is not hammered, and lets everybody in when there is room', async () => {
    const tenant = await world.tenant();
    const quota = { metadata: { name: 'pods', namespace: tenant.namespace }, spec: { hard: { pods: '2' } } };
    await world.client.create(QUOTAS, quota);
    await sleep(1_500);
    const names = Array.from({ length: 8 }, (_one, index) => `q-${index}`);
    for (const name of names) await tenant.session(name);
    const held = async (): Promise<string[]> => {
      const sessions = await Promise.all(names.map(tenant.get));
      return sessions.flatMap((one) => (one?.status?.reason === 'QuotaExceeded' ? [one.status.message ?? ''] : []));
    };
    const messages = await eventually('six are held back', held, (found) => found.length === 6, 20_000);
    expect(messages[0]).toMatch(/exceeded quota/);
    const refused = async (): Promise<number> =>
      (await world.requests(tenant.namespace, 'create', 'pods')).filter(({ code }) => code === 403).length;
    const atFirst = await refused();
    await sleep(15_000);
    // After 2, 4 and 8 seconds, whoever waits.
    expect((await refused()) - atFirst).toBeLessThanOrEqual(4);
    expect(await held()).toHaveLength(6);

    const wider = { type: 'merge', body: { spec: { hard: { pods: '20' } } } } as const;
    await world.client.patch(QUOTAS, { namespace: tenant.namespace, name: 'pods' }, wider);
    for (const name of names) await tenant.until(name, 'is ready', isReady, 60_000);
  });

  test('a pod that goes makes room for the one that has waited longest', async () => {
    const tenant = await world.tenant();
    const quota = { metadata: { name: 'pods', namespace: tenant.namespace }, spec: { hard: { pods: '1' } } };
    await world.client.create(QUOTAS, quota);
    await sleep(1_500);
    await tenant.session('first');
    await tenant.until('first', 'is ready', isReady);
    await tenant.session('second');
    await tenant.until('second', 'is held back', ({ status }) => status?.reason === 'QuotaExceeded');
    const stop = { type: 'merge', body: { spec: { stop: { reason: 'Asked' } } } } as const;
    await world.client.patch(RESOURCE.browserSessions, { namespace: tenant.namespace, name: 'first' }, stop);
    await tenant.until('second', 'is ready', isReady, 60_000);
  });
});

describe.concurrent('admission', () => {
  test('manifests beyond the creates per minute wait with their place and what to do', async () => {
    const tenant = await world.tenant({ tenant: { limits: { createsPerMinute: 2 } } });
    for (const name of ['a', 'b', 'c']) await tenant.session(name);
    await tenant.until('a', 'is ready', isReady);
    await tenant.until('b', 'is ready', isReady);
    const waiting = await tenant.until('c', 'waits', ({ status }) => status?.reason === 'CreateRate');
    expect(waiting.status).toMatchObject({ phase: 'Queued', queuePosition: 1 });
    expect(waiting.status?.message).toMatch(/limits\.createsPerMinute/);
    await tenant.until('c', 'is ready when its minute has come', isReady, 75_000);
  });

  test('a full tenant waits, and its parked browser gives way, the longest unused first', async () => {
    const tenant = await world.tenant({ tenant: { limits: { concurrentSessions: 2 } } });
    const kept = { lifetime: { keepAlive: true, idleTimeout: '0' } };
    await tenant.session('old', kept);
    await tenant.until('old', 'is ready', isReady);
    await sleep(1_100);
    await tenant.session('young', kept);
    await tenant.until('young', 'is ready', isReady);
    await tenant.session('next');
    const waiting = await tenant.until('next', 'waits', ({ status }) => status?.reason === 'TenantFull');
    expect(waiting.status?.message).toMatch(/limits\.concurrentSessions/);
    await tenant.until('next', 'is ready', isReady, 75_000);
    expect((await tenant.get('old'))?.spec.stop).toMatchObject({ reason: 'Replaced', by: 'operator' });
    const old = await tenant.until('old', 'has ended', ({ status }) => status?.endedAt !== undefined);
    expect(old.status).toMatchObject({ phase: 'Stopped', reason: 'Replaced' });
    expect((await tenant.get('young'))?.status?.phase).toBe('Ready');
  });

  test('a full pool holds its own sessions and nobody behind them', async () => {
    const tenant = await world.tenant({ pool: { maxSessions: 1 } });
    const other = { metadata: { name: 'other', namespace: tenant.namespace }, spec: { image: 'simulated-browser:1' } };
    await world.client.create(RESOURCE.browserPools, other);
    await tenant.session('first');
    await tenant.until('first', 'is ready', isReady);
    await tenant.session('second');
    await tenant.session('elsewhere', { poolRef: { name: 'other' } });
    await tenant.until('elsewhere', 'is ready', isReady);
    expect((await tenant.get('second'))?.status).toMatchObject({ phase: 'Queued', reason: 'PoolFull' });
  });
});
