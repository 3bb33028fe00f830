import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BlobStore } from '../blobs/blob-store.ts';
import { createDirectoryStore } from '../blobs/directory-store.ts';
import { type ProfileStore, createProfileStore } from './profile-store.ts';

const wrappingKey = { kid: 'k1', key: Buffer.alloc(32, 3) };
const id = { namespace: 'tenant-demo', name: 'shop', uid: 'uid-1' };
const signal = AbortSignal.timeout(60_000);
const version = (text: string) => ({ state: Buffer.from(text), cookieDomains: ['a.example'], writer: 'session-1' });

let root: string;
let blobs: BlobStore;
let profiles: ProfileStore;
const storeOver = (over: BlobStore) => createProfileStore({ blobs: over, wrappingKey, now: () => 0 });

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'podwright-profiles-'));
  blobs = await createDirectoryStore({ root });
  profiles = storeOver(blobs);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const keys = async () => (await blobs.list('profiles/', { limit: 100, signal })).blobs.map(({ key }) => key);

describe('a profile', () => {
  test('has nothing before it was saved', async () => {
    expect(await profiles.load(id, signal)).toBeNull();
  });

  test('comes back as it was saved last, with what the pointer says of it', async () => {
    await profiles.save(id, version('one'), signal);
    expect(await profiles.save(id, version('two'), signal)).toMatchObject({
      version: 2,
      sizeBytes: 3,
      writer: 'session-1',
    });
    const loaded = await profiles.load(id, signal);
    expect(loaded?.state.toString()).toBe('two');
    expect(loaded?.pointer).toMatchObject({
      version: 2,
      cookieDomains: ['a.example'],
      capturedAt: '1970-01-01T00:00:00.000Z',
    });
  });

  test('keeps its last versions and drops older ones', async () => {
    for (const text of ['1', '2', '3', '4', '5']) await profiles.save(id, version(text), signal);
    expect(await keys()).toHaveLength(4);
  });

  test('saved by two at once gets two versions, one after the other', async () => {
    const saved = await Promise.all(['a', 'b', 'c'].map((text) => profiles.save(id, version(text), signal)));
    expect(saved.map((pointer) => pointer.version)).toEqual([1, 2, 3]);
  });

  test('made again under the same name does not see what the one before had', async () => {
    await profiles.save(id, version('secret of the first'), signal);
    expect(await profiles.load({ ...id, uid: 'uid-2' }, signal)).toBeNull();
  });

  test('is gone with all versions of all that had its name', async () => {
    await profiles.save(id, version('1'), signal);
    await profiles.save({ ...id, uid: 'uid-2' }, version('1'), signal);
    await profiles.save({ ...id, name: 'shop-2' }, version('1'), signal);
    expect(await profiles.remove('tenant-demo', 'shop', signal)).toBe(4);
    expect(await keys()).toEqual([
      expect.stringContaining('/shop-2/uid-1/current.json'),
      expect.stringContaining('/shop-2/uid-1/v'),
    ]);
  });
});

describe('a crash while saving', () => {
  /** A store that fails at the put of the nth key. */
  const failingAt = (nth: number): BlobStore => {
    let puts = 0;
    return {
      ...blobs,
      put: (...args) => {
        puts += 1;
        return puts === nth ? Promise.reject(new Error('crash')) : blobs.put(...args);
      },
    };
  };

  test.each([1, 2])('before put %i was done leaves the version that was', async (nth) => {
    await profiles.save(id, version('good'), signal);
    await expect(storeOver(failingAt(nth)).save(id, version('half'), signal)).rejects.toThrow('crash');
    expect((await profiles.load(id, signal))?.state.toString()).toBe('good');
    await profiles.save(id, version('next'), signal);
    expect((await profiles.load(id, signal))?.pointer.version).toBe(2);
  });
});
