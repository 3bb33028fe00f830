import { randomUUID } from 'node:crypto';
import type { BrowserSession } from '@podwright/api/kinds/session';
import { applyStatus } from '@podwright/kube/apply-status';
import { type Client, createClient } from '@podwright/kube/client';
import { isConflict, isInvalid } from '@podwright/kube/kube-error';
import { RESOURCE } from '@podwright/kube/resource';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../harness/control-plane.ts';
import { installCrds } from '../harness/crds.ts';

let controlPlane: ControlPlane;
let client: Client;
const namespace = 'guards';
const fieldManager = 'podwright-test';
beforeAll(async () => {
  controlPlane = await startControlPlane();
  client = createClient({ connection: controlPlane.connection, userAgent: 'podwright-test' });
  await installCrds(client);
  await client.create(RESOURCE.namespaces, { metadata: { name: namespace } });
});
afterAll(() => controlPlane?.stop());

const make = (name = `s-${randomUUID().slice(0, 8)}`): Promise<BrowserSession> =>
  client.create(RESOURCE.browserSessions, { metadata: { name, namespace }, spec: {} });
const target = ({ metadata }: BrowserSession) => ({ namespace, name: metadata.name });
const failing = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'succeeded',
    (error: unknown) => error,
  );

describe('what the API server itself guards', () => {
  test('on the status subresource it does not compare UIDs, neither of an apply nor of a merge', async () => {
    const session = await make();
    const metadata = { ...target(session), uid: randomUUID() };
    const status = { message: 'for another one' };
    const applied = await client.apply(
      RESOURCE.browserSessions,
      { metadata, status },
      { fieldManager, subresource: 'status' },
    );
    expect(applied.metadata.uid).toBe(session.metadata.uid);
    const body = { metadata: { uid: randomUUID() }, status: { message: 'merged for another one' } };
    const call = { subresource: 'status' };
    const merged = await client.patch(RESOURCE.browserSessions, target(session), { type: 'merge', body }, call);
    expect(merged.status?.message).toBe('merged for another one');
  });

  test('there it compares versions', async () => {
    const session = await make();
    await client.patch(RESOURCE.browserSessions, target(session), { type: 'merge', body: { spec: { priority: 1 } } });
    const metadata = { ...target(session), resourceVersion: session.metadata.resourceVersion };
    const old = client.apply(
      RESOURCE.browserSessions,
      { metadata, status: { message: 'late' } },
      { fieldManager, subresource: 'status' },
    );
    expect(isConflict(await failing(old))).toBe(true);
  });

  test('on the object itself another UID is refused', async () => {
    const session = await make();
    const body = { metadata: { uid: randomUUID() }, spec: { stop: { reason: 'Asked' } } };
    const stop = client.patch(RESOURCE.browserSessions, target(session), { type: 'merge', body });
    expect(isInvalid(await failing(stop))).toBe(true);
  });
});

describe('a write of status', () => {
  const write = (session: BrowserSession, message: string) =>
    applyStatus(client, RESOURCE.browserSessions, session, { message }, { fieldManager });

  test('reaches an object that was changed since it was read', async () => {
    const session = await make();
    await client.patch(RESOURCE.browserSessions, target(session), { type: 'merge', body: { spec: { priority: 1 } } });
    expect((await write(session, 'mine'))?.status?.message).toBe('mine');
  });

  test('never reaches another object of the same name', async () => {
    const session = await make();
    await client.delete(RESOURCE.browserSessions, target(session));
    const second = await make(session.metadata.name);
    expect(await write(session, 'of the first')).toBeUndefined();
    const seen = await client.get(RESOURCE.browserSessions, target(second));
    expect(seen.metadata.uid).toBe(second.metadata.uid);
    expect(seen.status).toBeUndefined();
  });

  test('of an object that is gone makes none', async () => {
    const session = await make();
    await client.delete(RESOURCE.browserSessions, target(session));
    expect(await write(session, 'too late')).toBeUndefined();
    expect(await client.find(RESOURCE.browserSessions, target(session))).toBeUndefined();
  });

  test('of two managers keeps both blocks', async () => {
    const session = await make();
    await applyStatus(client, RESOURCE.browserSessions, session, { message: 'one' }, { fieldManager: 'one' });
    const run = { id: 'r', state: 'running' };
    const both = await applyStatus(client, RESOURCE.browserSessions, session, { run }, { fieldManager: 'two' });
    expect(both?.status).toMatchObject({ message: 'one', run });
  });
});

describe('what a spec may say', () => {
  const pool = (spec: object) =>
    client.create(RESOURCE.browserPools, {
      metadata: { name: `p-${randomUUID().slice(0, 8)}`, namespace },
      spec: { image: 'x', ...spec },
    });
  test.each<[string, object, RegExp]>([
    ['a default above its ceiling', { lifetime: { maxDuration: '5h', maxDurationCeiling: '4h' } }, /must not exceed/],
    ['warm.min above warm.max', { warm: { min: 3, max: 2 } }, /must not exceed/],
    ['hosts that nothing would let through', { network: { allowedHosts: ['a.example'] } }, /egress: Allowlist/],
    ['a runtime class without its mode', { sandbox: { runtimeClassName: 'x' } }, /RuntimeClass/],
    ['a rollout that never begins', { updateStrategy: { maxUnavailable: 0 } }, /maxUnavailable/],
  ])('a pool with %s is refused', async (_name, spec, words) => {
    const error = await failing(pool(spec));
    expect(isInvalid(error)).toBe(true);
    expect(String(error)).toMatch(words);
  });

  test.each<[string, object]>([
    ['viewport', { viewport: { width: 800, height: 600 } }],
    ['viewer', { viewer: { interactive: false } }],
    ['recording', { recording: true }],
    ['lifetime.maxDuration', { lifetime: { maxDuration: '2h' } }],
    ['task', { task: { instructions: 'x' } }],
  ])('%s cannot be changed later', async (field, spec) => {
    const session = await make();
    const error = await failing(
      client.patch(RESOURCE.browserSessions, target(session), { type: 'merge', body: { spec } }),
    );
    expect(String(error)).toContain(`${field} is immutable`);
  });

  test('what is read live can', async () => {
    const session = await make();
    const lifetime = { idleTimeout: '3m', keepAlive: true, ttlAfterFinished: '1h', maxQueueWait: '1m' };
    const body = { spec: { lifetime, priority: 7 } };
    const changed = await client.patch(RESOURCE.browserSessions, target(session), { type: 'merge', body });
    expect(changed.spec.lifetime).toMatchObject(lifetime);
  });
});
