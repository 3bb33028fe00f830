import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiError } from '@podwright/api/errors';
import type { CollectRequest } from '@podwright/api/internal-doors';
import type { BrowserProfile } from '@podwright/api/kinds/profile';
import { type BlobStore, bytesOf, readWhole } from '../blobs/blob-store.ts';
import { createDirectoryStore } from '../blobs/directory-store.ts';
import { createProfileKeeper } from '../profiles/profile-keeper.ts';
import type { KeptStatus } from '../profiles/profile-objects.ts';
import { createProfilePuller } from '../profiles/profile-puller.ts';
import { createProfileStore } from '../profiles/profile-store.ts';
import { testRing } from '../testing/profiles.ts';
import { createCollector } from './collector.ts';
import type { PodDoorClient } from './pod-door-client.ts';

const signal = AbortSignal.timeout(60_000);
const request = {
  tenant: 'demo',
  namespace: 'tenant-demo',
  sessionName: 's',
  sessionUid: 'session-uid',
  podUid: 'pod-uid',
  podIP: '10.0.0.9',
};
const state = Buffer.from('{"cookies":[],"origins":[]}');
const profile = (holder?: string): BrowserProfile => ({
  apiVersion: 'podwright.dev/v1alpha1',
  kind: 'BrowserProfile',
  metadata: { name: 'shop', namespace: 'tenant-demo', uid: 'p1', resourceVersion: '1', creationTimestamp: '' },
  spec: {},
  ...(holder === undefined ? {} : { status: { holder: { sessionName: 's', sessionUID: holder, since: '' } } }),
});

let root: string;
let blobs: BlobStore;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'podwright-collect-'));
  blobs = await createDirectoryStore({ root });
});
afterEach(() => rm(root, { recursive: true, force: true }));

function collectorWith(options: {
  files?: Record<string, string>;
  object?: BrowserProfile;
  pod?: Partial<PodDoorClient>;
}) {
  const files = options.files ?? {};
  const written: KeptStatus[] = [];
  let released = 0;
  const pod: PodDoorClient = {
    listDownloads: async () =>
      Object.entries(files).map(([path, text]) => ({ path, size: text.length, lastModified: '2026-01-01T00:00:00Z' })),
    download: async (path) => bytesOf(Buffer.from(files[path] ?? '')),
    readProfile: async () => state,
    loadProfile: async () => [],
    markCollected: async () => {
      released += 1;
    },
    ...options.pod,
  };
  const profiles = createProfileKeeper({
    store: createProfileStore({ blobs, ring: testRing(), now: () => 0 }),
    objects: {
      read: async () => options.object ?? null,
      applyStatus: async (_id, status) => {
        written.push(status);
        return true;
      },
    },
    now: () => 0,
  });
  const limits = { files: 5, fileBytes: 100, totalBytes: 150 };
  const pullProfile = createProfilePuller({ profiles, pod: () => pod, pulled: () => undefined });
  const collector = createCollector({ blobs, pullProfile, pod: () => pod, limits });
  return { collect: (asked: CollectRequest) => collector.collect(asked, signal), written, released: () => released };
}

const stored = async (name: string) =>
  (await readWhole(blobs, `tenants/demo/downloads/session-uid/${name}`, 1000, signal))?.toString();

describe('collecting a session', () => {
  test('stores its downloads under its UID and releases the pod', async () => {
    const { collect, released } = collectorWith({ files: { 'a.txt': 'A', 'dir/b.txt': 'B' } });
    expect(await collect(request)).toEqual({ downloads: 2, profileVersion: null, lost: [] });
    expect(await stored('dir/b.txt')).toBe('B');
    expect(released()).toBe(1);
  });

  test('saves the profile that it holds, and says so in its status', async () => {
    const { collect, written } = collectorWith({ object: profile('session-uid') });
    expect(await collect({ ...request, profile: 'shop' })).toMatchObject({ profileVersion: 1, lost: [] });
    expect(written).toEqual([
      {
        version: 1,
        sizeBytes: 27,
        cookieDomains: [],
        capturedAt: '1970-01-01T00:00:00.000Z',
        expiresAt: '1971-02-05T00:00:00.000Z',
        lastSavedAt: '1970-01-01T00:00:00.000Z',
      },
    ]);
  });

  test.each([
    ['another session holds', profile('another')],
    ['nobody holds', profile()],
  ])('does not write a profile that %s', async (_who, object) => {
    const { collect, written } = collectorWith({ object });
    const result = await collect({ ...request, profile: 'shop' });
    expect(result.lost).toEqual([expect.stringContaining('does not hold this profile')]);
    expect(written).toEqual([]);
  });

  test('takes no path that leads out, and tells of it', async () => {
    const { collect } = collectorWith({ files: { '../../../profiles/x': 'bad', '/etc/x': 'bad', 'ok.txt': 'good' } });
    const result = await collect(request);
    expect(result).toMatchObject({ downloads: 1 });
    expect(result.lost).toHaveLength(2);
    expect((await blobs.list('', { limit: 10, signal })).blobs.map(({ key }) => key)).toEqual([
      'tenants/demo/downloads/session-uid/ok.txt',
    ]);
  });

  test('keeps to its limits on files, bytes of one and bytes of all', async () => {
    const { collect } = collectorWith({ files: { big: 'x'.repeat(101), one: 'x'.repeat(90), two: 'x'.repeat(90) } });
    const result = await collect(request);
    expect(result.downloads).toBe(1);
    expect(result.lost).toEqual([expect.stringContaining('big'), expect.stringContaining('two')]);
    const many = collectorWith({
      files: Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => [name, ''])),
    });
    expect(await many.collect(request)).toMatchObject({
      downloads: 5,
      lost: [expect.stringContaining('first 5 of 7')],
    });
  });

  test('says what of the profile the pod could not read, although the rest is saved', async () => {
    const readProfile = async () =>
      Buffer.from('{"cookies":[],"origins":[],"missing":["storage of 3 origins\\u001b"]}');
    const { collect } = collectorWith({ object: profile('session-uid'), pod: { readProfile } });
    const result = await collect({ ...request, profile: 'shop' });
    expect(result).toMatchObject({ profileVersion: 1, lost: ['profile shop: storage of 3 origins'] });
  });

  test('keeps the downloads when the profile is no storage state', async () => {
    const readProfile = async () => Buffer.from('{"cookies":"all of them"}');
    const { collect } = collectorWith({ files: { a: 'A' }, object: profile('session-uid'), pod: { readProfile } });
    const result = await collect({ ...request, profile: 'shop' });
    expect(result).toMatchObject({ downloads: 1, profileVersion: null });
    expect(result.lost).toEqual([expect.stringContaining('no storage state')]);
  });

  test('says what was lost when the pod does not answer any more', async () => {
    const gone = async () => {
      throw new ApiError('browser_unavailable', 'The pod does not answer.');
    };
    const { collect } = collectorWith({ pod: { listDownloads: gone, markCollected: gone } });
    expect(await collect(request)).toEqual({
      downloads: 0,
      profileVersion: null,
      lost: ['downloads: The pod does not answer.'],
    });
  });

  test('fails as a whole when the store does, so that it is asked again', async () => {
    const { collect, released } = collectorWith({ files: { a: 'A' } });
    blobs.put = () => Promise.reject(new Error('disk full'));
    await expect(collect(request)).rejects.toThrow('disk full');
    expect(released()).toBe(0);
  });
});
