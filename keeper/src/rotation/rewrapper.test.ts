import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type BlobStore, bytesOf } from '../blobs/blob-store.ts';
import { createDirectoryStore } from '../blobs/directory-store.ts';
import { type KeyRing, readKeyRing } from '../profiles/key-ring.ts';
import { type ProfileStore, createProfileStore } from '../profiles/profile-store.ts';
import { startAdminDoor } from './admin-door.ts';
import { createRewrapper } from './rewrapper.ts';

const run = promisify(execFile);
const signal = AbortSignal.timeout(60_000);
const log = pino({ level: 'silent' });
const key = (byte: number): string => Buffer.alloc(32, byte).toString('base64');

let folder: string;
let blobs: BlobStore;
let ring: KeyRing;
let store: ProfileStore;
const ids = Array.from({ length: 5 }, (_, at) => ({ namespace: 'tenant-demo', name: `p${at}`, uid: `uid-${at}` }));

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'podwright-rewrap-'));
  await writeFile(join(folder, 'wrapping.key'), key(1));
  await writeFile(join(folder, 'kid'), 'first');
  ring = readKeyRing(join(folder, 'wrapping.key'));
  blobs = await createDirectoryStore({ root: join(folder, 'blobs') });
  store = createProfileStore({ blobs, ring, now: () => 0 });
  for (const id of ids) {
    const state = Buffer.from(`state of ${id.name}`);
    const version = { state, canonical: state, cookieDomains: [], writer: 's', writerEpoch: 1 };
    await store.save(id, { ...version, knownVersion: 0, replaceUnreadable: false }, signal);
  }
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function rotate(): Promise<void> {
  await writeFile(join(folder, 'retired-first.key'), key(1));
  await writeFile(join(folder, 'wrapping.key'), key(2));
  await writeFile(join(folder, 'kid'), 'second');
}

test('a rotated key is picked up by the command in the pod, which shows how far it is', async () => {
  const rewrapper = createRewrapper({ ring, store, profiles: store, onRound: () => undefined, log });
  const door = await startAdminDoor({ port: 0, reloadKeys: () => void ring.reload(), rewrapper });
  const { port } = door.address() as { port: number };
  const command = () =>
    run('node', [join(import.meta.dirname, 'main.ts'), 'second'], {
      env: { ...process.env, PODWRIGHT_ADMIN_PORT: String(port) },
    });
  await rotate();
  const { stdout } = await command();
  expect(stdout).toContain('every data key is wrapped by key second; still held: first');
  expect(stdout).toMatch(/5 profiles: \d rewrapped, \d up to date, 0 failed/);

  await rm(join(folder, 'retired-first.key'));
  expect((await command()).stdout).toContain('key second; no other is held');
  for (const id of ids) expect((await store.load(id, signal))?.state.toString()).toBe(`state of ${id.name}`);
  door.close();
});

test('a profile that does not open is named, and keeps no other from its turn', async () => {
  const broken = Buffer.from('{}');
  await blobs.put('profiles/tenant-demo/p2/uid-2/current.json', bytesOf(broken), { maxBytes: 10, signal });
  const rounds: { current: number; failed: number }[] = [];
  const rewrapper = createRewrapper({ ring, store, profiles: store, onRound: (round) => rounds.push(round), log });
  await rotate();
  ring.reload();
  rewrapper.start();
  await expect.poll(() => rewrapper.progress().state).toBe('failed');
  expect(rewrapper.progress()).toMatchObject({
    current: 'second',
    retired: ['first'],
    profiles: 5,
    rewrapped: 4,
    failed: [{ profile: 'tenant-demo/p2', because: 'the pointer is not one' }],
  });
  expect(rounds).toEqual([{ current: 4, failed: 1 }]);
  await rewrapper.stop();
});

test('a key that cannot be read leaves those that were read before in use', async () => {
  await writeFile(join(folder, 'wrapping.key'), 'half a key');
  expect(() => ring.reload()).toThrow('it must have 32');
  expect(ring.current.kid).toBe('first');
  expect((await store.load(ids[0]!, signal))?.state.toString()).toBe('state of p0');
});
