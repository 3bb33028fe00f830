import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BlobStore, bytesOf, readWhole } from '../blobs/blob-store.ts';
import { createDirectoryStore } from '../blobs/directory-store.ts';
import { createS3Store } from '../blobs/s3-store.ts';
import { testRing } from '../testing/profiles.ts';
import { type S3Server, startS3Server } from '../testing/s3-server.ts';
import { type ProfileStore, createProfileStore } from './profile-store.ts';

const id = { namespace: 'tenant-demo', name: 'shop', uid: 'uid-1' };
const folder = 'profiles/tenant-demo/shop/uid-1/';
const signal = AbortSignal.timeout(60_000);
const version = (text: string, over = {}) => ({
  state: Buffer.from(text),
  canonical: Buffer.from(text),
  cookieDomains: ['a.example'],
  writer: 'session-1',
  writerEpoch: 1,
  knownVersion: 0,
  replaceUnreadable: false,
  ...over,
});

let root: string;
let server: S3Server;
let now = 0;
let blobs: BlobStore;
let ring: ReturnType<typeof testRing>;
let profiles: ProfileStore;
const storeOver = (over: BlobStore) => createProfileStore({ blobs: over, ring, now: () => now });

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'podwright-profiles-'));
  server = await startS3Server();
  process.env['AWS_ACCESS_KEY_ID'] = server.accessKey;
  process.env['AWS_SECRET_ACCESS_KEY'] = server.secretKey;
}, 600_000);
afterAll(async () => {
  await server?.stop();
  await rm(root, { recursive: true, force: true });
});

const keys = async () => (await blobs.list('profiles/', { limit: 100, signal })).blobs.map(({ key }) => key);
const read = async (key: string): Promise<Buffer> => (await readWhole(blobs, key, 1_000_000, signal))!;
const write = (key: string, bytes: Buffer) => blobs.put(key, bytesOf(bytes), { maxBytes: bytes.length, signal });
const currentText = async () => (await profiles.load(id, signal))?.state.toString();

describe.each(['in a directory', 'in an S3 bucket'])('%s', (place) => {
  // A place of its own for every test.
  beforeEach(async () => {
    const { bucket, endpoint } = server;
    const s3 = { bucket, endpoint, region: 'us-east-1', forcePathStyle: true, prefix: `${randomUUID()}/` };
    blobs =
      place === 'in a directory' ? await createDirectoryStore({ root: join(root, randomUUID()) }) : createS3Store(s3);
    now = 0;
    ring = testRing();
    profiles = storeOver(blobs);
  });

  describe('a profile', () => {
    test('has nothing before it was saved', async () => {
      expect(await profiles.load(id, signal)).toBeNull();
    });

    test('comes back as it was saved last, with what the pointer says of it', async () => {
      await profiles.save(id, version('one'), signal);
      const { pointer, outcome } = await profiles.save(id, version('two'), signal);
      expect(outcome).toBe('saved');
      expect(pointer).toMatchObject({ version: 2, sizeBytes: 3, writer: 'session-1', writerEpoch: 1 });
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

    test('saved again without a change is the same version, seen later', async () => {
      await profiles.save(id, version('same'), signal);
      now = 60_000;
      const { pointer, outcome } = await profiles.save(id, version('same', { writerEpoch: 2 }), signal);
      expect(outcome).toBe('unchanged');
      expect(pointer).toMatchObject({ version: 1, capturedAt: '1970-01-01T00:01:00.000Z', writerEpoch: 2 });
      expect(await keys()).toHaveLength(2);
      expect(await currentText()).toBe('same');
    });

    test('goes on from the version that is known to have been saved, even if the store forgot it', async () => {
      const { pointer } = await profiles.save(id, version('next', { knownVersion: 7 }), signal);
      expect(pointer.version).toBe(8);
    });

    test('made again under the same name does not see what the one before had', async () => {
      await profiles.save(id, version('secret of the first'), signal);
      expect(await profiles.load({ ...id, uid: 'uid-2' }, signal)).toBeNull();
    });

    test('is gone with all its versions, and no other with it', async () => {
      const others = [
        { ...id, uid: 'uid-2' },
        { ...id, name: 'shop-2' },
      ];
      for (const one of [id, ...others]) await profiles.save(one, version('1'), signal);
      expect(await profiles.remove(id, signal)).toBe(2);
      expect(await profiles.load(id, signal)).toBeNull();
      for (const one of others) expect((await profiles.load(one, signal))?.state.toString()).toBe('1');
    });

    test('is found among all that have something', async () => {
      const others = Array.from({ length: 3 }, (_, at) => ({ ...id, name: `p${at}` }));
      for (const one of [id, ...others]) await profiles.save(one, version('1'), signal);
      const found = [];
      for await (const one of profiles.list(signal)) found.push(one);
      expect(found).toEqual([...others, id]);
    });
  });

  describe('a late writer', () => {
    test('is refused once a later holder has written', async () => {
      await profiles.save(id, version('of the second', { writerEpoch: 2 }), signal);
      await expect(profiles.save(id, version('late', { writerEpoch: 1 }), signal)).rejects.toThrow('later holder');
      expect(await currentText()).toBe('of the second');
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
      expect(await currentText()).toBe('good');
      await profiles.save(id, version('next'), signal);
      expect((await profiles.load(id, signal))?.pointer.version).toBe(2);
    });

    test('while cleaning up costs nothing: the version is saved', async () => {
      const stuck = storeOver({ ...blobs, delete: () => Promise.reject(new Error('crash')) });
      for (const text of ['1', '2', '3', '4']) await stuck.save(id, version(text), signal);
      expect(await currentText()).toBe('4');
      await profiles.save(id, version('5'), signal);
      expect(await keys()).toHaveLength(4);
    });
  });

  describe('bytes that somebody moved or changed', () => {
    const pointerKey = `${folder}current.json`;
    const stateKeys = async () => (await keys()).filter((key) => key.startsWith(`${folder}v`));

    beforeEach(async () => {
      await profiles.save(id, version('one'), signal);
      await profiles.save({ ...id, name: 'other', uid: 'uid-2' }, version('of another'), signal);
    });

    const tampered: [string, () => Promise<unknown>][] = [
      [
        'the state of an older version in the place of the current one',
        async () => {
          await profiles.save(id, version('two'), signal);
          const [older, newer] = await stateKeys();
          await write(newer!, await read(older!));
        },
      ],
      [
        'the state of another profile',
        async () => {
          const [mine] = await stateKeys();
          const theirs = (await keys()).find((key) => key.includes('/uid-2/v'));
          await write(mine!, await read(theirs!));
        },
      ],
      [
        'the pointer of another profile',
        async () => write(pointerKey, await read('profiles/tenant-demo/other/uid-2/current.json')),
      ],
      [
        'a pointer that says it was captured later',
        async () => {
          const pointer = JSON.parse((await read(pointerKey)).toString()) as object;
          await write(pointerKey, Buffer.from(JSON.stringify({ ...pointer, capturedAt: '2030-01-01T00:00:00.000Z' })));
        },
      ],
      [
        'a pointer that leads elsewhere',
        async () => {
          const pointer = JSON.parse((await read(pointerKey)).toString()) as object;
          await write(pointerKey, Buffer.from(JSON.stringify({ ...pointer, object: '../../other/uid-2/v1' })));
        },
      ],
      ['a pointer that is no JSON', () => write(pointerKey, Buffer.from('{"half":'))],
      ['a state that was deleted', async () => blobs.delete((await stateKeys())[0]!, signal)],
      [
        'a state with one bit changed',
        async () => {
          const [key] = await stateKeys();
          const bytes = await read(key!);
          bytes[20] = bytes[20]! ^ 1;
          await write(key!, bytes);
        },
      ],
    ];
    test.each(tampered)('are refused: %s', async (_what, tamper) => {
      await tamper();
      await expect(profiles.load(id, signal)).rejects.toThrow(expect.objectContaining({ name: 'SealError' }));
    });

    test('are not written over by a session, but by an import', async () => {
      await write(pointerKey, Buffer.from('{}'));
      await expect(profiles.save(id, version('next'), signal)).rejects.toThrow('pointer');
      await profiles.save(id, version('imported', { replaceUnreadable: true, knownVersion: 1 }), signal);
      expect(await profiles.load(id, signal)).toMatchObject({
        pointer: { version: 2 },
        state: Buffer.from('imported'),
      });
    });
  });

  describe('a new wrapping key', () => {
    test('wraps data keys anew without touching a state, and the old one may go', async () => {
      await profiles.save(id, version('one'), signal);
      const [, stateKey] = await keys();
      const before = await read(stateKey!);
      ring.rotate();
      expect(await currentText()).toBe('one');
      expect(await profiles.rewrap(id, signal)).toBe('rewrapped');
      expect(await profiles.rewrap(id, signal)).toBe('current');
      expect(await read(stateKey!)).toEqual(before);
      ring.retire();
      expect(await currentText()).toBe('one');
    });

    test('is missed by a profile that was not rewrapped', async () => {
      await profiles.save(id, version('one'), signal);
      ring.rotate();
      ring.retire();
      await expect(profiles.load(id, signal)).rejects.toThrow('was wrapped by key k1');
    });

    test('has nothing to do where nothing was saved', async () => {
      expect(await profiles.rewrap(id, signal)).toBe('missing');
    });
  });
});
