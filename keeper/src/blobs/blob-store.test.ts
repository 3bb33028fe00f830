import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BlobStore, bytesOf, deleteAll, readWhole } from './blob-store.ts';
import { createDirectoryStore } from './directory-store.ts';
import { createS3Store } from './s3-store.ts';
import { type S3Server, startS3Server } from '../testing/s3-server.ts';

/** The same promises, kept by a directory and by a real S3 server. */
let root: string;
let server: S3Server;
const stores: Record<string, BlobStore> = {};

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'podwright-blobs-'));
  server = await startS3Server();
  process.env['AWS_ACCESS_KEY_ID'] = server.accessKey;
  process.env['AWS_SECRET_ACCESS_KEY'] = server.secretKey;
  stores['a directory'] = await createDirectoryStore({ root });
  stores['an S3 bucket'] = createS3Store({
    bucket: server.bucket,
    region: 'us-east-1',
    endpoint: server.endpoint,
    forcePathStyle: true,
    prefix: 'podwright/',
  });
}, 600_000);

afterAll(async () => {
  await server?.stop();
  await rm(root, { recursive: true, force: true });
});

const signal = (): AbortSignal => AbortSignal.timeout(30_000);
const limit = { maxBytes: 64 * 1024 * 1024 };
const put = (store: BlobStore, key: string, text: string) =>
  store.put(key, bytesOf(Buffer.from(text)), { ...limit, signal: signal() });
const read = async (store: BlobStore, key: string) => (await readWhole(store, key, 1e8, signal()))?.toString() ?? null;
async function* megabytes(count: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i += 1) yield Buffer.alloc(1024 * 1024, i);
}
async function* breaksOff(): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(1024 * 1024);
  throw new Error('the pod broke off');
}

describe.each(['a directory', 'an S3 bucket'])('%s', (name) => {
  const store = (): BlobStore => stores[name]!;

  test('gives back what was put, and its size', async () => {
    expect(await put(store(), 'tenants/demo/downloads/s1/Ünï cöde #1.txt', 'hello')).toEqual({ size: 5 });
    expect(await read(store(), 'tenants/demo/downloads/s1/Ünï cöde #1.txt')).toBe('hello');
  });

  test('replaces a blob as a whole', async () => {
    await put(store(), 'tenants/demo/uploads/x', 'first and long');
    await put(store(), 'tenants/demo/uploads/x', 'second');
    expect(await read(store(), 'tenants/demo/uploads/x')).toBe('second');
  });

  test('keeps an empty blob', async () => {
    await put(store(), 'tenants/demo/uploads/empty', '');
    expect(await read(store(), 'tenants/demo/uploads/empty')).toBe('');
  });

  test('takes bytes whose number it does not know beforehand', async () => {
    expect(await store().put('tenants/demo/uploads/big', megabytes(12), { ...limit, signal: signal() })).toEqual({
      size: 12 * 1024 * 1024,
    });
    const whole = await readWhole(store(), 'tenants/demo/uploads/big', 1e8, signal());
    expect(whole?.length).toBe(12 * 1024 * 1024);
    expect(whole?.at(-1)).toBe(11);
  });

  test('refuses more than was allowed and keeps nothing of it', async () => {
    const key = 'tenants/demo/uploads/too-big';
    const attempt = store().put(key, megabytes(12), { maxBytes: 7 * 1024 * 1024, signal: signal() });
    await expect(attempt).rejects.toMatchObject({ code: 'too_large' });
    expect(await store().get(key, signal())).toBeNull();
  });

  test('keeps the old bytes when the new ones break off', async () => {
    const key = 'tenants/demo/uploads/steady';
    await put(store(), key, 'old');
    await expect(store().put(key, breaksOff(), { ...limit, signal: signal() })).rejects.toThrow('broke off');
    expect(await read(store(), key)).toBe('old');
  });

  test('has no blob where none was put, and deleting it is no error', async () => {
    expect(await store().get('tenants/demo/uploads/never', signal())).toBeNull();
    await store().delete('tenants/demo/uploads/never', signal());
  });

  test('lists what starts with a prefix, in order and page by page', async () => {
    const names = ['a', 'a-b', 'b/1', 'b/2', 'b/3', 'c'];
    for (const key of names) await put(store(), `tenants/list/uploads/${key}`, key);
    const listed: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await store().list('tenants/list/uploads/', { cursor, limit: 2, signal: signal() });
      listed.push(...page.blobs.map(({ key }) => key.slice('tenants/list/uploads/'.length)));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(listed).toEqual(names.toSorted());
    const some = await store().list('tenants/list/uploads/b', { limit: 10, signal: signal() });
    expect(some.blobs.map(({ key, size }) => [key.at(-1), size])).toEqual([
      ['1', 3],
      ['2', 3],
      ['3', 3],
    ]);
    expect((await store().list('tenants/nobody/', { limit: 10, signal: signal() })).blobs).toEqual([]);
  });

  test('forgets everything under a prefix and nothing beside it', async () => {
    await put(store(), 'tenants/gone/uploads/1', 'x');
    await put(store(), 'tenants/gone/uploads/2/3', 'x');
    await put(store(), 'tenants/gone-not/uploads/1', 'x');
    expect(await deleteAll(store(), 'tenants/gone/', signal())).toBe(2);
    expect((await store().list('tenants/gone', { limit: 10, signal: signal() })).blobs.map(({ key }) => key)).toEqual([
      'tenants/gone-not/uploads/1',
    ]);
  });

  test('answers a check', async () => {
    await store().check(signal());
  });
});

describe('a directory', () => {
  test('does not follow a link out of itself', async () => {
    await writeFile(join(root, 'secret'), 'secret');
    await put(stores['a directory']!, 'tenants/link/uploads/a', 'x');
    await symlink(join(root, 'secret'), join(root, 'tenants/link/uploads/b'));
    expect(await stores['a directory']!.get('tenants/link/uploads/b', signal())).toBeNull();
  });

  test.each(['../outside', 'a/../../outside', '/etc/passwd', '.tmp/x'])('refuses the key %j', async (key) => {
    await expect(put(stores['a directory']!, key, 'x')).rejects.toThrow('cannot be used');
  });

  test('says that a name is taken by a folder', async () => {
    await put(stores['a directory']!, 'tenants/demo/uploads/folder/a', 'x');
    await expect(put(stores['a directory']!, 'tenants/demo/uploads/folder', 'x')).rejects.toMatchObject({
      code: 'bad_request',
    });
  });

  test('takes a blob although the last other one of its folder is deleted at that moment', async () => {
    const store = stores['a directory']!;
    for (let round = 0; round < 50; round += 1) {
      await put(store, 'tenants/race/uploads/deep/old', 'x');
      await Promise.all([
        store.delete('tenants/race/uploads/deep/old', signal()),
        put(store, `tenants/race/uploads/deep/new${round}`, 'y'),
      ]);
      expect(await read(store, `tenants/race/uploads/deep/new${round}`)).toBe('y');
      await store.delete(`tenants/race/uploads/deep/new${round}`, signal());
    }
  });

  test('leaves no draft behind', async () => {
    expect(await readdir(join(root, '.tmp'))).toEqual([]);
  });
});
