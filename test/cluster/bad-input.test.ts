import { setTimeout as sleep } from 'node:timers/promises';
import { GROUP_VERSION } from '@podwright/api/names';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestTenant, conditionOf, createTenant } from '../harness/installation.ts';
import { applyObjects, eventually, getObject, kubectl } from '../harness/kubectl.ts';

let tenant: TestTenant;
beforeAll(async () => {
  tenant = await createTenant('bad', { pool: { maxScreen: { width: 1280, height: 800 } } });
});
afterAll(() => tenant?.remove());

describe('what the API server refuses', () => {
  test.each([
    ['a viewport below the bounds', { viewport: { width: 100, height: 700 } }, /viewport\.width/],
    ['a viewport above the bounds', { viewport: { width: 7000, height: 700 } }, /viewport\.width/],
    ['a start URL that is no page', { startUrl: 'file:///etc/passwd' }, /startUrl/],
    ['a duration in other words', { lifetime: { idleTimeout: 'ten minutes' } }, /idleTimeout/],
    [
      'hosts without the class that uses them',
      { network: { egress: 'Public', allowedHosts: ['a.example'] } },
      /allowedHosts/,
    ],
    ['an unknown stop reason', { stop: { reason: 'Bored' } }, /reason/],
  ])('%s', async (_name, spec, expected) => {
    await expect(tenant.session('refused', spec as object)).rejects.toThrow(expected);
  });

  test('a change of what cannot change', async () => {
    await tenant.session('fixed', { poolRef: { name: 'nowhere' } });
    await expect(tenant.session('fixed', { poolRef: { name: 'default' } })).rejects.toThrow(/immutable/);
  });
});

describe('what the operator answers with a reason', () => {
  test.each([
    ['an unknown pool', 'no-pool', { poolRef: { name: 'nowhere' } }, 'UnknownPool', /nowhere/],
    [
      'a viewport that does not fit the pool',
      'too-large',
      { viewport: { width: 1920, height: 1080 } },
      'ViewportTooLarge',
      /1280x800/,
    ],
    ['an unknown profile', 'no-profile', { profileRef: { name: 'nobody' } }, 'UnknownProfile', /nobody/],
    [
      'a proxy Secret that is not offered',
      'no-proxy',
      { proxy: { secretRef: { name: 'nothing' } } },
      'SecretNotOffered',
      /podwright\.dev\/use/,
    ],
  ])('%s', async (_name, session, spec, reason, message) => {
    await tenant.session(session, spec);
    const failed = await tenant.phase(session, 'Failed', 30_000);
    expect(failed.status?.reason).toBe(reason);
    expect(failed.status?.message).toMatch(message);
  });

  test('a session in a namespace of no tenant', async () => {
    await applyObjects([
      {
        apiVersion: GROUP_VERSION,
        kind: 'BrowserSession',
        metadata: { name: 'stray', namespace: 'default' },
        spec: {},
      },
    ]);
    const stray = await eventually(
      'the stray session has failed',
      () => getObject<{ status?: { phase?: string; reason?: string } }>('bs', 'stray', 'default'),
      (seen) => seen?.status?.phase === 'Failed',
      30_000,
    );
    expect(stray?.status?.reason).toBe('UnknownTenant');
    await kubectl('delete', 'bs', 'stray', '-n', 'default', '--timeout=60s');
  });

  test('an image that cannot be pulled', async () => {
    const pool = await getObject<{ spec: object }>('browserpool', 'default', tenant.namespace);
    await applyObjects([
      {
        apiVersion: GROUP_VERSION,
        kind: 'BrowserPool',
        metadata: { name: 'broken', namespace: tenant.namespace },
        spec: { ...pool?.spec, image: 'podwright-browser:does-not-exist' },
      },
    ]);
    await tenant.session('unpullable', { poolRef: { name: 'broken' } });
    const failed = await tenant.phase('unpullable', 'Failed', 90_000);
    expect(failed.status?.reason).toBe('ImagePullFailed');
    expect(failed.status?.message).toMatch(/does-not-exist/);
  });

  test('a used-up quota is waited out with its reason, and the session starts when there is room', async () => {
    await applyObjects([
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'full', namespace: tenant.namespace },
        spec: { hard: { pods: '0' } },
      },
    ]);
    await tenant.session('patient');
    const waiting = await eventually(
      'the session tells of the quota',
      () => tenant.get('patient'),
      (seen) => conditionOf(seen, 'PodAssigned')?.reason === 'QuotaExceeded',
      30_000,
    );
    expect(waiting?.status?.phase).not.toBe('Failed');
    await kubectl('delete', 'resourcequota', 'full', '-n', tenant.namespace);
    await tenant.phase('patient', ['Ready', 'Idle']);
  });
});

describe('admission', () => {
  test('a tenant over its limit queues with its position, and goes on in order', async () => {
    const small = await createTenant('full', { tenant: { limits: { concurrentSessions: 1 } } });
    try {
      await small.session('one');
      await small.phase('one', ['Ready', 'Idle']);
      await small.session('two');
      // Kubernetes keeps the age of an object in whole seconds; of one second, either may be first.
      await sleep(1100);
      await small.session('three');
      const third = await eventually(
        'three is second in line',
        () => small.get('three'),
        (seen) => seen?.status?.queuePosition === 2,
        30_000,
      );
      expect(third?.status).toMatchObject({ phase: 'Queued', reason: 'TenantFull' });
      await kubectl('delete', 'bs', 'one', '-n', small.namespace, '--timeout=60s');
      await small.phase('two', ['Ready', 'Idle']);
    } finally {
      await small.remove();
    }
  });
});
