import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type Server, createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type KeeperClient, KeeperRefusal, createKeeperClient } from './keeper-client.ts';

const request = {
  tenant: 'demo',
  namespace: 'tenant-demo',
  sessionName: 's',
  sessionUid: 'u',
  podUid: 'p',
  podIP: '10.0.0.1',
};
const answer = { downloads: 2, profileVersion: null, lost: [] };

const refusal = { code: 'x', message: 'words of the keeper', retryable: true };

let folder: string;
let server: Server | undefined;
let client: KeeperClient;
let asked: number;

/** A keeper that answers with these statuses, one after the other, and with the last from then on. */
async function keeperThat(...statuses: number[]): Promise<void> {
  server = createServer((_request, response) => {
    const status = statuses[Math.min(asked, statuses.length - 1)] ?? 200;
    asked += 1;
    response.writeHead(status).end(status === 204 ? '' : JSON.stringify(status === 200 ? answer : refusal));
  });
  await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  const tokenFile = join(folder, 'token');
  await writeFile(tokenFile, 'token\n');
  client = createKeeperClient({ url: `http://127.0.0.1:${port}`, tokenFile, dispatcher: new Agent() });
}

beforeEach(async () => {
  asked = 0;
  folder = await mkdtemp(join(tmpdir(), 'podwright-keeper-client-'));
});
afterEach(async () => {
  await new Promise((done) => (server ? server.close(done) : done(undefined)));
  await rm(folder, { recursive: true, force: true });
});

describe('collecting', () => {
  test('asks again while the keeper is away', async () => {
    await keeperThat(503, 200);
    expect(await client.collect(request, AbortSignal.timeout(10_000))).toEqual(answer);
    expect(asked).toBe(2);
  });

  test('takes a refusal as one', async () => {
    await keeperThat(403);
    await expect(client.collect(request, AbortSignal.timeout(10_000))).rejects.toThrow('403');
    expect(asked).toBe(1);
  });

  test('gives up at its deadline, and says what was wrong', async () => {
    await keeperThat(503);
    await expect(client.collect(request, AbortSignal.timeout(300))).rejects.toThrow('503');
  });
});

describe('loading a profile', () => {
  const load = { namespace: 'tenant-demo', profile: 'shop', sessionUid: 'u', podUid: 'p', podIP: '10.0.0.1' };
  afterEach(() => {
    refusal.retryable = true;
  });

  test('is done when a keeper from before an upgrade says no more', async () => {
    await keeperThat(204);
    expect(await client.loadProfile(load, AbortSignal.timeout(10_000))).toMatchObject({
      outcome: 'Loaded',
      version: null,
    });
  });

  test('tells a refusal for good from trouble that passes', async () => {
    await keeperThat(500);
    await expect(client.loadProfile(load, AbortSignal.timeout(10_000))).rejects.not.toBeInstanceOf(KeeperRefusal);
    refusal.retryable = false;
    await expect(client.loadProfile(load, AbortSignal.timeout(10_000))).rejects.toThrow(KeeperRefusal);
  });
});
