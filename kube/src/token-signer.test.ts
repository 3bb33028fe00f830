import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TokenSigner, startTokenSigner } from './token-signer.ts';

let folder: string;
let signer: TokenSigner | undefined;
const log = { info() {}, warn() {}, error() {} };

const pem = (): string => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const put = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
const start = async (): Promise<TokenSigner> =>
  (signer = await startTokenSigner({
    issuer: 'gateway',
    installation: 'i',
    keyDir: folder,
    releasedFile: join(folder, 'signing.json'),
    now: Date.now,
    log,
    lookEveryMs: 5,
  }));
/** Key id in the header of a fresh token. */
const kidOfToken = async (): Promise<string> => {
  const token = await signer!.sign('pod', { scope: 'cdp', subject: 's' });
  return (JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()) as { kid: string }).kid;
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'podwright-token-signer-'));
  await put('private.pem', pem());
  await put('kid', 'g1\n');
});
afterEach(async () => {
  await signer?.stop();
  await rm(folder, { recursive: true });
});

test('a new key is not used before it is released, and then without a restart', async () => {
  await start();
  await put('next.pem', pem());
  await put('next.kid', 'g2');
  await new Promise((done) => setTimeout(done, 30));
  expect(await kidOfToken()).toBe('g1');
  await put('signing.json', JSON.stringify({ gateway: 'g2', keeper: 'k1' }));
  await expect.poll(kidOfToken).toBe('g2');
});

test('a release that comes before the key itself waits for it', async () => {
  await put('signing.json', JSON.stringify({ gateway: 'g2' }));
  await start();
  expect(await kidOfToken()).toBe('g1');
  await put('next.kid', 'g2');
  await put('next.pem', pem());
  await expect.poll(kidOfToken).toBe('g2');
});

test('a promoted key signs on under its own id', async () => {
  await put('next.pem', pem());
  await put('next.kid', 'g2');
  await put('signing.json', JSON.stringify({ gateway: 'g2' }));
  await start();
  expect(signer!.kid).toBe('g2');
  await put('private.pem', pem());
  await put('kid', 'g2');
  await rm(join(folder, 'next.kid'));
  await rm(join(folder, 'next.pem'));
  await new Promise((done) => setTimeout(done, 30));
  expect(await kidOfToken()).toBe('g2');
});

test.each([
  ['a list that is no JSON', 'signing.json', 'nonsense'],
  ['a key that is none', 'private.pem', 'nonsense'],
])('%s leaves the old key in use', async (_, name, text) => {
  await start();
  await put(name, text);
  await put('kid', 'g9');
  await new Promise((done) => setTimeout(done, 30));
  expect(await kidOfToken()).toBe('g1');
});

test('without a key of its own it does not start', async () => {
  await rm(join(folder, 'private.pem'));
  await expect(start()).rejects.toThrow('private.pem');
});
