import { createEventRecorder } from '@podwright/kube/event-recorder';
import type { BrowserProfile } from '@podwright/api/kinds/profile';
import type { BrowserSession } from '@podwright/api/kinds/session';
import { FINALIZER, LABEL, OBJECT } from '@podwright/api/names';
import { profileObjects, profileTombstones } from '@podwright/keeper/cluster';
import { updateKeptStatus } from '@podwright/keeper/profiles/profile-objects';
import { type Client, createClient } from '@podwright/kube/client';
import { isNotFound } from '@podwright/kube/kube-error';
import { RESOURCE } from '@podwright/kube/resource';
import { startCaches } from '@podwright/operator/caches';
import { startProfileController } from '@podwright/operator/profiles/controller';
import { createSessionEffects } from '@podwright/operator/sessions/session-effects';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../harness/control-plane.ts';
import { installCrds } from '../harness/crds.ts';
import { eventually } from '../harness/kubectl.ts';

/** BrowserProfiles in a real API server, with the operator's and the keeper's hands on them; only bytes are pretended. */
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const signal = AbortSignal.timeout(600_000);
const namespace = 'default';

let plane: ControlPlane;
let client: Client;
let caches: ReturnType<typeof startCaches>;
let controller: ReturnType<typeof startProfileController>;
/** What the operator believes how late it is, beyond the real time. */
let later = 0;
let keeperAway = false;
const deleted: string[] = [];

beforeAll(async () => {
  plane = await startControlPlane();
  client = createClient({ connection: plane.connection, userAgent: 'podwright-test' });
  await installCrds(client);
  const now = (): number => Date.now() + later;
  caches = startCaches({ client, now: Date.now, log });
  await caches.synced(signal);
  controller = startProfileController({
    client,
    caches,
    keeper: {
      async deleteProfile({ uid }) {
        if (keeperAway) throw new Error('the keeper does not answer');
        deleted.push(uid);
      },
    },
    events: createEventRecorder({ client, component: 'test', instance: 'test', now, log }),
    releaseNamespace: namespace,
    prefix: 'podwright',
    onDone: () => undefined,
    now,
    log,
  });
});
afterAll(async () => {
  await controller?.stop();
  await caches?.stop();
  await plane?.stop();
});
beforeEach(() => {
  later = 0;
  keeperAway = false;
});

const read = (name: string): Promise<BrowserProfile> => client.get(RESOURCE.browserProfiles, { namespace, name });
async function made(name: string): Promise<BrowserProfile> {
  await client.create(RESOURCE.browserProfiles, { metadata: { namespace, name }, spec: {} });
  return eventually(
    'it has its finalizer',
    () => read(name),
    ({ metadata }) => metadata.finalizers?.includes(FINALIZER) ?? false,
  );
}
const session = (name: string, profile: string): Promise<BrowserSession> =>
  client.create(RESOURCE.browserSessions, {
    metadata: { namespace, name },
    spec: { profileRef: { name: profile, mode: 'ReadWrite' } },
  });
const remove = (name: string): Promise<unknown> => client.delete(RESOURCE.browserProfiles, { namespace, name });
const goneOf = (name: string) =>
  eventually(
    `${name} is gone`,
    () => client.find(RESOURCE.browserProfiles, { namespace, name }),
    (seen) => seen === undefined,
  );

test('of two sessions that claim a profile at once one gets it, and each claim is a new epoch', async () => {
  await made('wanted');
  const effects = createSessionEffects({ client, caches });
  const claim = async (one: BrowserSession): Promise<boolean> => effects.claimProfile(one, new Date().toISOString());
  const both = await Promise.all([session('left', 'wanted'), session('right', 'wanted')]);
  const won = await Promise.all(both.map(claim));
  expect(won.filter(Boolean)).toHaveLength(1);
  const holder = both[won.indexOf(true)]!;
  expect((await read('wanted')).status).toMatchObject({
    holder: { sessionName: holder.metadata.name, sessionUID: holder.metadata.uid },
    writerEpoch: 1,
  });
  await effects.releaseProfile(both[won.indexOf(false)]!);
  expect((await read('wanted')).status?.holder?.sessionUID).toBe(holder.metadata.uid);
  await effects.releaseProfile(holder);
  expect((await read('wanted')).status?.holder).toBeUndefined();
  await claim(both[won.indexOf(false)]!);
  expect((await read('wanted')).status?.writerEpoch).toBe(2);
});

test("the keeper's part of status and the operator's leave each other alone, and a stale write is repeated", async () => {
  const { metadata } = await made('shared');
  const id = { namespace, name: 'shared' };
  const objects = profileObjects(client);
  const one = await session('holding', 'shared');
  let raced = false;
  await updateKeptStatus({
    objects: {
      ...objects,
      async applyStatus(target, status, stop) {
        // The operator is faster, once.
        if (!raced) await createSessionEffects({ client, caches }).claimProfile(one, new Date().toISOString());
        raced = true;
        return objects.applyStatus(target, status, stop);
      },
    },
    id,
    uid: metadata.uid,
    change: ({ status }) => ({ version: 3, sizeBytes: status?.holder ? 2 : 1, cookieDomains: ['a.example'] }),
    signal,
  });
  expect((await read('shared')).status).toMatchObject({
    version: 3,
    sizeBytes: 2,
    cookieDomains: ['a.example'],
    holder: { sessionUID: one.metadata.uid },
    writerEpoch: 1,
  });
  await updateKeptStatus({ objects, id, uid: 'another', change: () => ({ version: 9 }), signal });
  expect((await read('shared')).status).toMatchObject({ version: 3 });
  expect(await objects.applyStatus({ ...id, name: 'nobody', resourceVersion: '1' }, {}, signal)).toBe(false);
});

test('a holder whose session does not exist is released, and one that is alive is not', async () => {
  await made('haunted');
  const since = new Date(Date.now() - 60_000).toISOString();
  const hold = (sessionUID: string) =>
    client.patch(
      RESOURCE.browserProfiles,
      { namespace, name: 'haunted' },
      { type: 'merge', body: { status: { holder: { sessionName: 'ghost', sessionUID, since } } } },
      { subresource: 'status' },
    );
  await hold(crypto.randomUUID());
  await eventually(
    'the ghost is released',
    () => read('haunted'),
    ({ status }) => status?.holder === undefined,
  );
  const alive = await session('alive', 'haunted');
  await hold(alive.metadata.uid);
  controller.queue.add(`${namespace}/haunted`);
  await new Promise((done) => setTimeout(done, 500));
  expect((await read('haunted')).status?.holder?.sessionUID).toBe(alive.metadata.uid);
});

test('a deleted profile goes when its bytes are gone, by its UID', async () => {
  const { metadata } = await made('deleted');
  await remove('deleted');
  await goneOf('deleted');
  expect(deleted).toContain(metadata.uid);
});

test('while the keeper is away a deleted profile stays, and after five minutes it leaves a tombstone and goes', async () => {
  keeperAway = true;
  const { metadata } = await made('stuck');
  await remove('stuck');
  await new Promise((done) => setTimeout(done, 1_000));
  expect((await read('stuck')).metadata.deletionTimestamp).toBeDefined();
  const tombstones = profileTombstones({ client, namespace, prefix: 'podwright' });
  expect(await tombstones(signal)).toEqual([]);

  later = 301_000;
  controller.queue.add(`${namespace}/stuck`);
  await goneOf('stuck');
  expect(deleted).not.toContain(metadata.uid);
  const [left, ...others] = await tombstones(signal);
  expect(others).toEqual([]);
  expect(left?.profile).toEqual({ namespace, name: 'stuck', uid: metadata.uid });
  const name = OBJECT.profileTombstone('podwright', metadata.uid);
  const { metadata: tombstone } = await client.get(RESOURCE.configMaps, { namespace, name });
  expect(tombstone.labels?.[LABEL.tombstone]).toBe('profile');
  await left!.clear(signal);
  await expect(client.get(RESOURCE.configMaps, { namespace, name })).rejects.toSatisfy(isNotFound);
});
