import { randomUUID } from 'node:crypto';
import type { BrowserSession } from '@podwright/api/kinds/session';
import { FIELD_MANAGER, GROUP_VERSION } from '@podwright/api/names';
import { createEventRecorder } from '@podwright/kube/event-recorder';
import { isConflict, isInvalid, isNotFound } from '@podwright/kube/kube-error';
import { LeaseLostError, acquireLease } from '@podwright/kube/lease';
import { RESOURCE } from '@podwright/kube/resource';
import { reviewToken } from '@podwright/kube/token-review';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KubeFixture, kubeFixture, silent, until } from '../harness/kube.ts';

let kube: KubeFixture;
beforeAll(async () => {
  kube = await kubeFixture('client');
});
afterAll(() => kube?.close());

const name = (prefix: string): string => `${prefix}-${randomUUID().slice(0, 8)}`;
const configMap = (data: Record<string, string> = {}) =>
  kube.client.create(RESOURCE.configMaps, { metadata: { namespace: kube.namespace, name: name('cm') }, data });
const targetOf = (object: { metadata: { name: string } }) => ({
  namespace: kube.namespace,
  name: object.metadata.name,
});
const failing = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'succeeded',
    (error: unknown) => error,
  );

describe('the client', () => {
  test('a guarded patch fails when the object changed meanwhile', async () => {
    const map = await configMap();
    const guarded = (value: string) =>
      kube.client.patch(RESOURCE.configMaps, targetOf(map), {
        type: 'merge',
        body: { metadata: { resourceVersion: map.metadata.resourceVersion }, data: { value } },
      });
    const outcomes = await Promise.allSettled([guarded('a'), guarded('b')]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const lost = outcomes.find((outcome) => outcome.status === 'rejected');
    expect(isConflict(lost?.reason)).toBe(true);
  });

  test('a delete for another UID is refused, one of a missing object is fine', async () => {
    const map = await configMap();
    expect(
      isConflict(await failing(kube.client.delete(RESOURCE.configMaps, targetOf(map), { uid: randomUUID() }))),
    ).toBe(true);
    await kube.client.delete(RESOURCE.configMaps, targetOf(map), { uid: map.metadata.uid });
    expect(await kube.client.delete(RESOURCE.configMaps, targetOf(map))).toBeUndefined();
    expect(isNotFound(await failing(kube.client.get(RESOURCE.configMaps, targetOf(map))))).toBe(true);
    expect(await kube.client.find(RESOURCE.configMaps, targetOf(map))).toBeUndefined();
  });

  test('lists all pages', async () => {
    const maps = await Promise.all(Array.from({ length: 3 }, () => configMap()));
    const listed = await kube.client.list(RESOURCE.configMaps, { namespace: kube.namespace });
    const names = listed.items.map(({ metadata }) => metadata.name);
    expect(names).toEqual(expect.arrayContaining(maps.map(({ metadata }) => metadata.name)));
  });

  test('an abort of the caller stays the caller’s', async () => {
    const reason = new Error('enough');
    expect(await failing(kube.client.list(RESOURCE.configMaps, { signal: AbortSignal.abort(reason) }))).toBe(reason);
  });

  test('a write is stopped by the fence before it leaves', async () => {
    const { createClient } = await import('@podwright/kube/client');
    const fenced = createClient({
      connection: kube.connection,
      userAgent: 'podwright-test',
      beforeWrite: () => {
        throw new LeaseLostError('lost');
      },
    });
    const fencedName = name('cm');
    const create = fenced.create(RESOURCE.configMaps, { metadata: { namespace: kube.namespace, name: fencedName } });
    expect(await failing(create)).toBeInstanceOf(LeaseLostError);
    expect(await fenced.find(RESOURCE.configMaps, { namespace: kube.namespace, name: fencedName })).toBeUndefined();
  });
});

describe('status by server-side apply', () => {
  const make = (): Promise<BrowserSession> =>
    kube.client.create(RESOURCE.browserSessions, {
      metadata: { namespace: kube.namespace, name: name('s') },
      spec: {},
    });
  const apply = (session: BrowserSession, manager: string, status: object, guard: object = {}) =>
    kube.client.apply(
      RESOURCE.browserSessions,
      { apiVersion: GROUP_VERSION, kind: 'BrowserSession', metadata: { ...targetOf(session), ...guard }, status },
      { fieldManager: manager, subresource: 'status' },
    );

  test('operator and gateway do not touch each other’s block', async () => {
    const session = await make();
    await apply(session, FIELD_MANAGER.operator, { phase: 'Ready', podName: 'p' });
    await apply(session, FIELD_MANAGER.gateway, { run: { id: 'r', state: 'running' } });
    const after = await apply(session, FIELD_MANAGER.operator, { phase: 'Idle' });
    expect(after.status).toEqual({ phase: 'Idle', run: { id: 'r', state: 'running' } });
  });

  test('a status for an object that was made again is refused by its version', async () => {
    const first = await make();
    await kube.client.delete(RESOURCE.browserSessions, targetOf(first));
    await kube.client.create(RESOURCE.browserSessions, { metadata: targetOf(first), spec: {} });
    const { resourceVersion } = first.metadata;
    const late = apply(first, FIELD_MANAGER.operator, { phase: 'Ready' }, { resourceVersion });
    expect(isConflict(await failing(late))).toBe(true);
  });
});

describe('what the CRDs refuse', () => {
  const session = (spec: object) =>
    failing(
      kube.client.create(RESOURCE.browserSessions, { metadata: { namespace: kube.namespace, name: name('s') }, spec }),
    );

  test.each([
    [
      'hosts without the class that uses them',
      { network: { egress: 'Public', allowedHosts: ['a.example'] } },
      /Allowlist/,
    ],
    ['an unknown stop reason', { stop: { reason: 'Bored' } }, /stop\.reason/],
    ['a viewport out of bounds', { viewport: { width: 100, height: 700 } }, /viewport\.width/],
  ])('%s', async (_name, spec, words) => {
    const error = await session(spec);
    expect(isInvalid(error)).toBe(true);
    expect((error as Error).message).toMatch(words);
  });

  test.each<[string, BrowserSession['spec'], object, RegExp]>([
    ['the task', { task: { instructions: 'x' } }, { task: { instructions: 'y' } }, /task is immutable/],
    [
      'a schema inside the task',
      { task: { instructions: 'x', outputSchema: { type: 'object' } } },
      { task: { outputSchema: { type: 'array' } } },
      /task is immutable/,
    ],
    ['the pool, added later', {}, { poolRef: { name: 'other' } }, /poolRef is immutable/],
    ['a stop taken back', { stop: { reason: 'Asked' } }, { stop: null }, /one-way/],
  ])('a change of %s', async (_name, spec, patch, words) => {
    const target = { namespace: kube.namespace, name: name('s') };
    await kube.client.create(RESOURCE.browserSessions, { metadata: target, spec });
    const changed = kube.client.patch(RESOURCE.browserSessions, target, { type: 'merge', body: { spec: patch } });
    expect((await failing(changed)) as Error).toMatchObject({ message: expect.stringMatching(words) as string });
  });

  test('a pool that wants more warm than it may have', async () => {
    const pool = kube.client.create(RESOURCE.browserPools, {
      metadata: { namespace: kube.namespace, name: name('p') },
      spec: { image: 'x', warm: { min: 3, max: 2 } },
    });
    expect((await failing(pool)) as Error).toMatchObject({ message: expect.stringMatching(/warm\.min/) as string });
  });

  test('a tenant that moves to another namespace', async () => {
    const tenant = name('t');
    await kube.client.create(RESOURCE.browserTenants, {
      metadata: { name: tenant },
      spec: { namespace: kube.namespace },
    });
    const body = { spec: { namespace: 'elsewhere' } };
    const moved = await failing(kube.client.patch(RESOURCE.browserTenants, { name: tenant }, { type: 'merge', body }));
    await kube.client.delete(RESOURCE.browserTenants, { name: tenant });
    expect(moved as Error).toMatchObject({ message: expect.stringMatching(/immutable/) as string });
  });
});

describe('a lease', () => {
  const contend = (lease: string, identity: string, signal = AbortSignal.timeout(20_000)) =>
    acquireLease(
      {
        client: kube.client,
        namespace: kube.namespace,
        name: lease,
        identity,
        log: silent,
        monotonic: () => performance.now(),
        now: Date.now,
      },
      signal,
    );

  test('is held by one, and goes to the next within a second when it is released', async () => {
    const lease = name('lease');
    const first = await contend(lease, 'first');
    let second: Awaited<ReturnType<typeof contend>> | undefined;
    const waiting = contend(lease, 'second').then((hold) => (second = hold));
    await new Promise((resolve) => {
      setTimeout(resolve, 2_000);
    });
    expect([first.held(), second]).toEqual([true, undefined]);
    const releasedAt = performance.now();
    await first.release();
    expect(first.held()).toBe(false);
    expect(() => first.assertHeld()).toThrow(LeaseLostError);
    await waiting;
    expect(performance.now() - releasedAt).toBeLessThan(2_000);
    expect(second?.transitions).toBe(1);
    await second?.release();
  });

  test('a holder that could not renew for a while stays the holder when nobody else came', async () => {
    const through = await kube.viaProxy();
    const hold = await acquireLease(
      {
        client: through.client,
        namespace: kube.namespace,
        name: name('lease'),
        identity: 'slow',
        log: silent,
        monotonic: () => performance.now(),
        now: Date.now,
      },
      AbortSignal.timeout(10_000),
    );
    through.proxy.refuse();
    through.proxy.reset();
    await until('it counts itself out', () => !hold.held());
    expect(hold.lost.aborted).toBe(false);
    through.proxy.accept();
    await until('it holds again', () => hold.held());
    await hold.release();
    await through.close();
  });

  test('is taken over when its holder falls silent, and the holder counts itself out before that', async () => {
    const through = await kube.viaProxy();
    const lease = name('lease');
    const silentHolder = await acquireLease(
      {
        client: through.client,
        namespace: kube.namespace,
        name: lease,
        identity: 'silent',
        log: silent,
        monotonic: () => performance.now(),
        now: Date.now,
      },
      AbortSignal.timeout(10_000),
    );
    const startedAt = performance.now();
    through.proxy.refuse();
    through.proxy.stall();
    const next = await contend(lease, 'next');
    const takenAt = performance.now();
    expect(takenAt - startedAt).toBeLessThan(8_000);
    expect(silentHolder.held()).toBe(false);
    // It can speak again, and finds out that its time is over.
    through.proxy.reset();
    through.proxy.accept();
    await until('the old holder knows', () => silentHolder.lost.aborted);
    await next.release();
    await through.close();
  });
});

describe('events', () => {
  test('the same fact again is counted in its series', async () => {
    const map = await configMap();
    const events = createEventRecorder({
      client: kube.client,
      component: 'podwright.dev/test',
      instance: 'test',
      now: Date.now,
      log: silent,
    });
    for (let count = 0; count < 5; count += 1) {
      events.record(map, { type: 'Warning', reason: 'PodFailed', action: 'Try', note: 'it\u202e failed' });
    }
    await events.flush();
    const { items } = await kube.client.list(RESOURCE.events, { namespace: kube.namespace });
    const mine = items.filter(({ regarding }) => regarding.uid === map.metadata.uid);
    expect(mine).toHaveLength(1);
    expect(mine[0]).toMatchObject({ note: 'it failed', series: { count: 4 } });
  });
});

describe('token review', () => {
  test('says who a token belongs to, for its own audience only', async () => {
    const account = name('sa');
    const path = `/api/v1/namespaces/${kube.namespace}/serviceaccounts`;
    await kube.client.raw('POST', path, { metadata: { name: account } });
    const { status } = await kube.client.raw<{ status: { token: string } }>('POST', `${path}/${account}/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { audiences: ['podwright-internal'] },
    });
    const review = (audience: string, token = status.token) => reviewToken({ client: kube.client, token, audience });
    expect(await review('podwright-internal')).toMatchObject({ namespace: kube.namespace, serviceAccount: account });
    expect(await review('somebody-else')).toBeUndefined();
    expect(await review('podwright-internal', `${status.token}x`)).toBeUndefined();
  });
});
