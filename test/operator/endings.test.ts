import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { LABEL } from '@podwright/api/names';
import { RESOURCE } from '@podwright/kube/resource';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../harness/kubectl.ts';
import { NAMESPACE, type World, hasEnded, isReady, keySecret, startWorld } from './world.ts';

let world: World;
const stopping = new AbortController();
beforeAll(async () => {
  world = await startWorld(stopping.signal);
});
afterAll(() => world?.stop());

const cordon = (node: string, unschedulable: boolean) =>
  world.client.patch(RESOURCE.nodes, { name: node }, { type: 'merge', body: { spec: { unschedulable } } });

describe('a node that is drained', () => {
  test('gets no session; its warm pods go, its sessions are told until when and then saved and stopped', async () => {
    const tenant = await world.tenant({ pool: { warm: { min: 2 }, lifetime: { drainTimeout: '6s' } } });
    await tenant.session('working');
    const { status } = await tenant.until('working', 'is ready', isReady);
    const node = status!.nodeName!;
    try {
      await cordon(node, true);
      const told = await tenant.until('working', 'is told', (seen) => seen.status?.drainDeadline !== undefined);
      expect(told.status).toMatchObject({ phase: 'Ready' });
      expect(told.status?.conditions?.find(({ type }) => type === 'NodeDraining')).toMatchObject({
        status: 'True',
        reason: 'NodeDraining',
      });
      const untilWhen = Date.parse(told.status!.drainDeadline!);
      expect(untilWhen - Date.now()).toBeLessThan(6_000);
      const ended = await tenant.until('working', 'has ended', hasEnded);
      expect(ended.status).toMatchObject({ phase: 'Stopped', reason: 'NodeDraining' });
      expect(Date.parse(ended.status!.stoppingAt!)).toBeGreaterThanOrEqual(untilWhen - 1_000);
      // The simulated scheduler knows no cordon: what it puts there is taken away again, and never given to anybody.
      await tenant.session('later');
      const later = await tenant.until('later', 'is ready', isReady, 60_000);
      if (later.status?.start === 'warm') expect(later.status.nodeName).not.toBe(node);
    } finally {
      await cordon(node, false);
    }
  });

  test('a session whose node takes work again goes on', async () => {
    const tenant = await world.tenant({ pool: { lifetime: { drainTimeout: '1h' } } });
    await tenant.session('lucky');
    const { status } = await tenant.until('lucky', 'is ready', isReady);
    await cordon(status!.nodeName!, true);
    await tenant.until('lucky', 'is told', (seen) => seen.status?.drainDeadline !== undefined);
    await cordon(status!.nodeName!, false);
    const after = await tenant.until('lucky', 'is told again', (seen) => seen.status?.drainDeadline === undefined);
    expect(after.status?.conditions?.find(({ type }) => type === 'NodeDraining')?.reason).toBe('NodeUncordoned');
  });

  test('the namespace of a tenant carries a budget over its claimed pods', async () => {
    const tenant = await world.tenant();
    const target = { namespace: tenant.namespace, name: 'podwright-claimed' };
    const budget = await world.client.get(RESOURCE.podDisruptionBudgets, target);
    expect(budget.spec.selector.matchLabels).toEqual({ [LABEL.claimed]: 'true' });
    await world.client.delete(RESOURCE.podDisruptionBudgets, target);
    await eventually(
      'it comes back',
      () => world.client.find(RESOURCE.podDisruptionBudgets, target),
      (found) => found !== undefined,
      10_000,
    );
  });
});

describe('a tenant that is removed', () => {
  test('stops its sessions, and its keys and policies go only when the last pod is gone', async () => {
    const tenant = await world.tenant({ pool: { warm: { min: 1 } } });
    const other = await world.tenant();
    const id = Math.random().toString(16).slice(2, 14).padEnd(12, '0');
    const [mine, theirs] = [keySecret(tenant.name, id), keySecret(other.name, `${id.slice(0, 11)}f`)];
    await world.client.create(RESOURCE.secrets, mine);
    await world.client.create(RESOURCE.secrets, theirs);
    await tenant.session('working');
    const { status: working } = await tenant.until('working', 'is ready', isReady);
    // Its pod does not go before it is let go, so that what waits for that can be seen waiting.
    const hold = (finalizers: string[] | null) =>
      world.client.patch(
        RESOURCE.pods,
        { namespace: tenant.namespace, name: working!.podName! },
        { type: 'merge', body: { metadata: { finalizers } } },
      );
    await hold(['podwright.test/hold']);
    const key = () => world.client.find(RESOURCE.secrets, { namespace: NAMESPACE, name: mine.metadata.name });
    const policies = async () =>
      (await world.client.list(RESOURCE.networkPolicies, { namespace: tenant.namespace })).items.length;
    expect(await policies()).toBeGreaterThan(0);

    let brokenOrder = '';
    const look = async (): Promise<void> => {
      // What must outlive the pods is read before them: gone here and a pod there is the wrong order.
      const [present, count] = await Promise.all([key(), policies()]);
      const { items } = await world.client.list(RESOURCE.pods, { namespace: tenant.namespace });
      if (items.length > 0 && (!present || count === 0)) brokenOrder = `${items.length} pods, ${count} policies`;
    };
    const watching = setInterval(() => {
      look().catch((error: unknown) => {
        brokenOrder = String(error);
      });
    }, 100);
    try {
      await world.client.delete(RESOURCE.browserTenants, { name: tenant.name });
      await eventually(
        'its pool says so',
        () => world.client.get(RESOURCE.browserPools, { namespace: tenant.namespace, name: 'default' }),
        ({ status }) => status?.conditions?.find(({ type }) => type === 'Ready')?.reason === 'TenantRemoved',
        10_000,
      );
      await tenant.until('working', 'stops', ({ status }) => status?.phase === 'Stopping');
      await sleep(2_000);
      expect((await tenant.get('working'))?.status?.phase).toBe('Stopping');
      expect(await key()).toBeDefined();
      await hold(null);
      const ended = await tenant.until('working', 'has ended', hasEnded);
      expect(ended.status).toMatchObject({ phase: 'Stopped', reason: 'TenantRemoved' });
      await eventually('its key is forgotten', key, (found) => found === undefined, 20_000);
      await eventually('its policies are gone', policies, (count) => count === 0, 10_000);
    } finally {
      clearInterval(watching);
    }
    expect(brokenOrder).toBe('');
    const left = { namespace: NAMESPACE, name: theirs.metadata.name };
    expect(await world.client.find(RESOURCE.secrets, left)).toBeDefined();
    const namespace = await eventually(
      'its namespace is nobody’s',
      () => world.client.get(RESOURCE.namespaces, { name: tenant.namespace }),
      ({ metadata }) => metadata.labels?.[LABEL.tenant] === undefined,
      10_000,
    );
    expect(namespace.metadata.labels?.['pod-security.kubernetes.io/enforce']).toBe('restricted');
  });

  test('and its namespace together leave nothing behind', async () => {
    const tenant = await world.tenant({ pool: { warm: { min: 1 } } });
    await tenant.session('working');
    await tenant.until('working', 'is ready', isReady);
    const id = Math.random().toString(16).slice(2, 14).padEnd(12, '0');
    await world.client.create(RESOURCE.secrets, keySecret(tenant.name, id));
    await world.client.delete(RESOURCE.namespaces, { name: tenant.namespace });
    await world.client.delete(RESOURCE.browserTenants, { name: tenant.name });
    await eventually(
      'the namespace is gone',
      () => world.client.find(RESOURCE.namespaces, { name: tenant.namespace }),
      (found) => found === undefined,
      60_000,
    );
    const name = keySecret(tenant.name, id).metadata.name;
    await eventually(
      'its key is forgotten',
      () => world.client.find(RESOURCE.secrets, { namespace: NAMESPACE, name }),
      (found) => found === undefined,
      20_000,
    );
  });
});

describe('an operator that was away', () => {
  test('past the end of a session ends it as it should have, and finds the warm pods that are there', async () => {
    const tenant = await world.tenant({ pool: { warm: { min: 2 } } });
    await tenant.session('short', { lifetime: { maxDuration: '5s' } });
    await tenant.session('gone');
    const short = await tenant.until('short', 'is ready', isReady);
    await tenant.until('gone', 'is ready', isReady);
    await eventually(
      'two are warm',
      () => tenant.warm(),
      (warm) => warm.length === 2,
      20_000,
    );
    const before = new Set((await tenant.warm()).map(({ metadata }) => metadata.uid));
    await world.replaceOperator(async () => {
      await sleep(Math.max(0, Date.parse(short.status!.expiresAt!) - Date.now()) + 2_000);
      const target = { namespace: tenant.namespace, name: 'gone' };
      await world.client.delete(RESOURCE.browserSessions, target);
    });
    expect((await tenant.until('short', 'has ended', hasEnded)).status).toMatchObject({
      phase: 'TimedOut',
      reason: 'Expired',
    });
    await eventually(
      'the deleted one is gone',
      () => tenant.get('gone'),
      (found) => found === undefined,
      20_000,
    );
    const after = await tenant.pods();
    expect(after.every(({ metadata }) => before.has(metadata.uid))).toBe(true);
    expect(after).toHaveLength(2);
  });
});

describe('kubectl', () => {
  const run = promisify(execFile);
  const kubectl = async (...args: string[]): Promise<string> =>
    (await run('kubectl', args, { env: { ...process.env, KUBECONFIG: world.kubeconfig } })).stdout;

  test('explains every field of a session in words', async () => {
    const explained = await kubectl('explain', 'browsersession.spec', '--recursive=false');
    for (const field of ['viewer', 'lifetime', 'network', 'profileRef', 'stop', 'task'])
      expect(explained).toContain(field);
    expect(explained).not.toMatch(/<no description>/);
    expect(await kubectl('explain', 'browserpool.spec.updateStrategy.maxUnavailable')).toMatch(
      /missing from the target/,
    );
  });

  test('shows place and reason of what waits, and waits for Ready', async () => {
    const tenant = await world.tenant({ tenant: { limits: { concurrentSessions: 1 } } });
    await tenant.session('first');
    await kubectl('wait', '--for=condition=Ready', 'bs/first', '-n', tenant.namespace, '--timeout=30s');
    await tenant.session('second');
    await tenant.until('second', 'waits', ({ status }) => status?.reason === 'TenantFull');
    const table = await kubectl('get', 'bs', '-n', tenant.namespace, '-o', 'wide');
    expect(table.split('\n')[0]).toMatch(/NAME +PHASE +POD +AGE +RUN +COST +NODE +REASON +PLACE +TENANT +START +ENDS/);
    expect(table).toMatch(/second +Queued .*TenantFull +1 /);
  });
});
