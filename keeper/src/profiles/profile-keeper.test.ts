import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type BlobStore, bytesOf, readWhole } from '../blobs/blob-store.ts';
import { createDirectoryStore } from '../blobs/directory-store.ts';
import { SHOP, holder, stateOf, testObjects, testRing, whoWrote } from '../testing/profiles.ts';
import { type ProfileKeeper, createProfileKeeper } from './profile-keeper.ts';
import { createProfileStore } from './profile-store.ts';

const signal = AbortSignal.timeout(60_000);
const HOUR = 3_600_000;

let root: string;
let now: number;
let blobs: BlobStore;
let objects: ReturnType<typeof testObjects>;
let profiles: ProfileKeeper;
/** Resolved by a test to let a save go on that is writing its state. */
let gate: Promise<void> | undefined;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'podwright-keeper-'));
  now = Date.parse('2026-01-01T00:00:00Z');
  gate = undefined;
  blobs = await createDirectoryStore({ root });
  objects = testObjects();
  const slow: BlobStore = {
    ...blobs,
    put: async (...args) => {
      await gate;
      return blobs.put(...args);
    },
  };
  const store = createProfileStore({ blobs: slow, ring: testRing(), now: () => now });
  profiles = createProfileKeeper({ store, objects, now: () => now });
});
afterEach(() => rm(root, { recursive: true, force: true }));

const save = (uid: string, text: string) => profiles.saveFromSession(SHOP, { uid, state: stateOf(text) }, signal);
const hold = (uid: string, writerEpoch: number) => objects.change({ holder: holder(uid), writerEpoch });
const current = async (): Promise<string | undefined> => {
  const saved = await profiles.stateFor(SHOP, signal);
  return saved.outcome === 'Loaded' ? whoWrote(saved.state) : saved.outcome;
};

describe('a profile in use', () => {
  test('holds nothing at first, and then what its holder saved, with everything told in its status', async () => {
    expect(await current()).toBe('Empty');
    hold('a', 1);
    expect(await save('a', 'first')).toMatchObject({ version: 1, outcome: 'saved' });
    expect(await current()).toBe('first');
    expect(objects.profile?.status).toMatchObject({
      version: 1,
      sizeBytes: stateOf('first').length,
      cookieDomains: [],
      capturedAt: '2026-01-01T00:00:00.000Z',
      expiresAt: '2027-02-05T00:00:00.000Z',
      lastSavedAt: '2026-01-01T00:00:00.000Z',
    });
  });

  test('is used when a session loads it', async () => {
    now += HOUR;
    await profiles.touch(SHOP, signal);
    expect(objects.profile?.status).toEqual({ lastUsedAt: '2026-01-01T01:00:00.000Z' });
  });

  test.each([
    ['another session', () => hold('b', 2)],
    ['nobody', () => objects.change({ holder: undefined })],
  ])('takes nothing from a session when %s holds it', async (_who, change) => {
    hold('a', 1);
    await save('a', 'first');
    change();
    await expect(save('a', 'late')).rejects.toThrow(expect.objectContaining({ code: 'forbidden' }));
    expect(await current()).toBe('first');
  });

  test('takes nothing while it is being deleted', async () => {
    hold('a', 1);
    objects.change({}, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    await expect(save('a', 'late')).rejects.toThrow(expect.objectContaining({ code: 'profile_not_found' }));
  });

  test('of a name that belongs to another object by now is another profile', async () => {
    hold('a', 1);
    await save('a', 'of the first');
    objects.profile = { ...objects.profile!, metadata: { ...objects.profile!.metadata, uid: 'uid-2' }, status: {} };
    expect(await current()).toBe('Empty');
  });
});

describe('two writers', () => {
  test('a save that began before its holder was released is part of what the next one loads', async () => {
    hold('a', 1);
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    const saving = save('a', 'last of a');
    await sleep(20);
    hold('b', 2);
    const loading = current();
    resolve();
    await saving;
    expect(await loading).toBe('last of a');
  });

  test('a save that waited for its turn until its holder was released is refused', async () => {
    hold('a', 1);
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    const first = save('a', 'one');
    const second = save('a', 'two');
    await sleep(20);
    hold('b', 2);
    resolve();
    await first;
    await expect(second).rejects.toThrow(expect.objectContaining({ code: 'forbidden' }));
    expect(await current()).toBe('one');
  });

  test('an import is refused while a session holds the profile', async () => {
    hold('a', 1);
    await expect(profiles.importState(SHOP, stateOf('x'), signal)).rejects.toThrow('session a');
    objects.change({ holder: undefined });
    expect(await profiles.importState(SHOP, stateOf('x'), signal)).toMatchObject({ version: 1 });
  });
});

describe('the status', () => {
  test('keeps what somebody else wrote between reading and writing it', async () => {
    hold('a', 1);
    let raced = false;
    objects.beforeWrite = () => {
      if (!raced) objects.change({ lastUsedAt: 'by somebody else' });
      raced = true;
    };
    await save('a', 'first');
    expect(objects.profile?.status).toMatchObject({ version: 1, lastUsedAt: 'by somebody else' });
  });

  test('is not set back by a use that was told late', async () => {
    hold('a', 1);
    const touching = profiles.touch(SHOP, signal);
    await save('a', 'first');
    await touching;
    await save('a', 'second');
    await profiles.touch(SHOP, signal);
    expect(objects.profile?.status).toMatchObject({ version: 2 });
  });

  test('catches up with the store when a keeper died in between', async () => {
    hold('a', 1);
    await save('a', 'first');
    objects.change({ version: undefined, capturedAt: undefined });
    await profiles.touch(SHOP, signal);
    expect(objects.profile?.status).toMatchObject({ version: 1, capturedAt: '2026-01-01T00:00:00.000Z' });
  });
});

describe('a state that is too old', () => {
  beforeEach(async () => {
    objects.profile!.spec = { maxAge: '2h' };
    hold('a', 1);
    await save('a', 'first');
  });

  test('is not loaded, and said to have expired', async () => {
    now += 2 * HOUR;
    expect(await profiles.stateFor(SHOP, signal)).toEqual({
      outcome: 'Expired',
      version: 1,
      capturedAt: '2026-01-01T00:00:00.000Z',
      expiresAt: '2026-01-01T02:00:00.000Z',
    });
  });

  test('is not too old when a session was seen with it later', async () => {
    now += HOUR;
    expect(await save('a', 'first')).toMatchObject({ outcome: 'unchanged', version: 1 });
    now += HOUR;
    expect(await current()).toBe('first');
  });
});

describe('a store that is older than the profile', () => {
  const pointerKey = 'profiles/tenant-demo/shop/uid-1/current.json';
  let older: Buffer;
  beforeEach(async () => {
    hold('a', 1);
    await save('a', 'one');
    older = (await readWhole(blobs, pointerKey, 1_000_000, signal))!;
    await save('a', 'two');
  });

  test.each([
    ['set back to an older version', () => blobs.put(pointerKey, bytesOf(older), { maxBytes: older.length, signal })],
    ['emptied', () => blobs.delete(pointerKey, signal)],
  ])('%s is refused', async (_how, change) => {
    await change();
    await expect(current()).rejects.toThrow(expect.objectContaining({ code: 'profile_unreadable' }));
  });

  test('is mended by an import, which is a later version than any', async () => {
    await blobs.delete(pointerKey, signal);
    objects.change({ holder: undefined });
    expect(await profiles.importState(SHOP, stateOf('mended'), signal)).toMatchObject({ version: 3 });
    expect(await current()).toBe('mended');
  });
});

describe('deleting', () => {
  const id = { ...SHOP, uid: 'uid-1' };
  beforeEach(async () => {
    hold('a', 1);
    await save('a', 'one');
  });

  test('takes every byte of a profile that is being deleted', async () => {
    objects.change({}, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(await profiles.remove(id, signal)).toBe(2);
  });

  test('is refused while the object lives', async () => {
    await expect(profiles.remove(id, signal)).rejects.toThrow('not being deleted');
    expect(await current()).toBe('one');
  });

  test('of one that is gone leaves its successor of the same name alone', async () => {
    objects.change({ version: undefined }, { uid: 'uid-2' });
    await save('a', 'of the second');
    expect(await profiles.remove(id, signal)).toBe(2);
    expect(await current()).toBe('of the second');
  });
});
