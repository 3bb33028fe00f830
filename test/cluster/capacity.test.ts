import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserPool } from '@podwright/api/kinds/pool';
import { LABEL, OBJECT } from '@podwright/api/names';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestTenant, conditionOf, createTenant, installation, keyId } from '../harness/installation.ts';
import { applyObjects, eventually, getObject, kubectl, kubectlFails, listObjects } from '../harness/kubectl.ts';

interface Pod {
  metadata: { name: string; uid: string };
}

const tenants: TestTenant[] = [];
async function make(...how: Parameters<typeof createTenant>): Promise<TestTenant> {
  const tenant = await createTenant(...how);
  tenants.push(tenant);
  return tenant;
}
afterAll(async () => {
  await Promise.all(tenants.map((tenant) => tenant.remove()));
});

describe('a node that is drained', () => {
  let tenant: TestTenant;
  beforeAll(async () => {
    tenant = await make('drain', { pool: { lifetime: { drainTimeout: '8s' } } });
  });

  test('cannot evict a pod with a session; the session is told, saved and stopped, and then the pod is gone', async () => {
    await tenant.session('working');
    const { status } = await tenant.phase('working', ['Ready', 'Idle']);
    // The disruption controller counts a new pod after a moment.
    await eventually(
      'the budget is counted',
      () => getObject<{ status?: { currentHealthy?: number } }>('pdb', 'podwright-claimed', tenant.namespace),
      (budget) => budget?.status?.currentHealthy === 1,
      30_000,
    );
    const path = `/api/v1/namespaces/${tenant.namespace}/pods/${status!.podName}/eviction`;
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: status!.podName } };
    expect(await kubectlFails('create', '--raw', path, '-f', await written(eviction))).toMatch(/disruption budget/);
    await kubectl('cordon', status!.nodeName!);
    try {
      const told = await eventually(
        'the session is told',
        () => tenant.get('working'),
        (session) => session?.status?.drainDeadline !== undefined,
        10_000,
      );
      expect(told?.status?.phase).toMatch(/Ready|Idle/);
      expect(conditionOf(told, 'NodeDraining')?.message).toContain(told!.status!.drainDeadline!);
      const stopped = await tenant.phase('working', 'Stopped');
      expect(stopped.status).toMatchObject({ reason: 'NodeDraining' });
      expect(await listObjects<Pod>('pods', tenant.namespace)).toEqual([]);
    } finally {
      await kubectl('uncordon', status!.nodeName!);
    }
  });
});

describe('a full tenant', () => {
  test('takes the place of a browser that is kept alive and unused, and never of one that is in use', async () => {
    const tenant = await make('park', { tenant: { limits: { concurrentSessions: 2 } } });
    const kept = { lifetime: { keepAlive: true, idleTimeout: '0' } };
    await tenant.session('parked', kept);
    await tenant.session('plain', { lifetime: { idleTimeout: '0' } });
    await tenant.phase('parked', ['Ready', 'Idle']);
    await tenant.phase('plain', ['Ready', 'Idle']);
    await tenant.session('next');
    const waiting = await tenant.phase('next', 'Queued');
    expect(waiting.status?.reason).toBe('TenantFull');
    await tenant.phase('next', ['Ready', 'Idle'], 120_000);
    expect((await tenant.phase('parked', 'Stopped')).status).toMatchObject({ reason: 'Replaced' });
    expect((await tenant.get('plain'))?.status?.phase).toMatch(/Ready|Idle/);
  });
});

describe('a used-up quota', () => {
  test('holds sessions back with its words and lets them in when a pod goes', async () => {
    const tenant = await make('quota');
    await applyObjects([
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'pods', namespace: tenant.namespace },
        spec: { hard: { pods: '1' } },
      },
    ]);
    await eventually(
      'the quota is counted',
      () => getObject<{ status?: { hard?: object } }>('resourcequota', 'pods', tenant.namespace),
      (quota) => quota?.status?.hard !== undefined,
      20_000,
    );
    await tenant.session('first');
    await tenant.phase('first', ['Ready', 'Idle']);
    await tenant.session('second');
    const held = await eventually(
      'the second is held back',
      () => tenant.get('second'),
      (session) => session?.status?.reason === 'QuotaExceeded',
      30_000,
    );
    expect(held?.status?.message).toMatch(/exceeded quota: pods/);
    await kubectl('delete', 'bs', 'first', '-n', tenant.namespace, '--timeout=90s');
    await tenant.phase('second', ['Ready', 'Idle']);
  });
});

describe('a tenant that is removed', () => {
  test('ends its session, then its key is forgotten and its namespace let go', async () => {
    const tenant = await make('gone', { pool: { warm: { min: 1, max: 1 } } });
    await tenant.session('working');
    await tenant.phase('working', ['Ready', 'Idle']);
    await kubectl('delete', 'browsertenant', tenant.name, '--timeout=30s');
    expect((await tenant.phase('working', 'Stopped')).status).toMatchObject({ reason: 'TenantRemoved' });
    await eventually(
      'its key is forgotten',
      () => getObject('secret', OBJECT.apiKeySecret(keyId(tenant.apiKey)), installation().namespace),
      (secret) => secret === null,
      60_000,
    );
    expect(await listObjects<Pod>('pods', tenant.namespace)).toEqual([]);
    await eventually(
      'its namespace is nobody’s',
      () => getObject<{ metadata: { labels?: Record<string, string> } }>('namespace', tenant.namespace),
      (namespace) => namespace?.metadata.labels?.[LABEL.tenant] === undefined,
      30_000,
    );
    const pool = await getObject<BrowserPool>('browserpool', 'default', tenant.namespace);
    expect(pool?.status?.conditions?.[0]?.reason).toMatch(/TenantRemoved|UnknownTenant/);
  });
});

/** A file with an object as JSON, for commands that take nothing else. */
async function written(object: object): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'podwright-')), 'object.json');
  await writeFile(file, JSON.stringify(object));
  return file;
}
