import { generateKeyPairSync } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Signer, type Verifier, createSigner, createVerifier } from '@podwright/api/tokens';
import { createPodDoorClient } from './pod-door-client.ts';

const address = { podIP: '127.0.0.1', podUid: 'pod-uid', sessionUid: 'session-uid' };
const signal = AbortSignal.timeout(30_000);
let signer: Signer;
let verifier: Verifier;
let server: Server | undefined;

beforeAll(async () => {
  const pair = generateKeyPairSync('ed25519');
  const privatePem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const pem = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const common = { installation: 'test', now: Date.now };
  signer = await createSigner({ ...common, issuer: 'keeper', kid: 'k', privatePem });
  verifier = await createVerifier({
    ...common,
    podUid: 'pod-uid',
    keys: { operator: [], gateway: [], keeper: [{ kid: 'k', pem }] },
  });
});
afterEach(() => new Promise((done) => (server ? server.close(done) : done(undefined))));

/** A pod that answers as told and writes down who asked for what. */
async function podThat(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const asked: string[] = [];
  server = createServer((request, response) => {
    void (async () => {
      const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
      const { scope, subject } = await verifier.verify(token);
      asked.push(`${request.method} ${request.url} ${scope} ${subject}`);
      answer(request, response);
    })();
  });
  await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  return { client: createPodDoorClient({ address, signer, port }), asked };
}

describe('the client of a pod', () => {
  const answers: Record<string, string> = {
    'GET /files/downloads': '{"files":[]}',
    'PUT /profile': '{"missing":["2 cookies"]}',
  };
  test('opens each door with a token of its own scope for that pod and session', async () => {
    const { client, asked } = await podThat((request, response) =>
      response.end(answers[`${request.method} ${request.url}`] ?? '{}'),
    );
    expect(await client.listDownloads(signal)).toEqual([]);
    for await (const chunk of await client.download('a b/ü?.txt', signal)) expect(String(chunk)).toBe('{}');
    expect(String(await client.readProfile(signal))).toBe('{}');
    expect(await client.loadProfile(Buffer.from('{}'), signal)).toEqual(['2 cookies']);
    await client.markCollected(signal);
    expect(asked).toEqual([
      'GET /files/downloads files session-uid',
      'GET /files/downloads/a%20b/%C3%BC%3F.txt files session-uid',
      'GET /profile profile session-uid',
      'PUT /profile profile session-uid',
      'POST /collected collect session-uid',
    ]);
  });

  test.each(['{"files":[{"path":1}]}', 'not JSON', ''])('takes no listing that is none: %j', async (text) => {
    const { client } = await podThat((_request, response) => response.end(text));
    await expect(client.listDownloads(signal)).rejects.toMatchObject({ code: 'browser_unavailable' });
  });

  test('stops reading a profile that does not end', async () => {
    const { client } = await podThat((_request, response) => {
      const more = (): void => {
        while (response.write(Buffer.alloc(1024 * 1024)));
        response.once('drain', more);
      };
      more();
    });
    await expect(client.readProfile(signal)).rejects.toMatchObject({ code: 'too_large' });
  });

  test('says that the pod broke off in the middle of a download', async () => {
    const { client } = await podThat((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      setTimeout(() => response.destroy(), 20);
    });
    const body = await client.download('a', signal);
    const read = async () => {
      for await (const chunk of body) expect(String(chunk)).toBe('half');
    };
    await expect(read()).rejects.toMatchObject({ code: 'browser_unavailable' });
  });

  test.each(['example.com', '10.0.0.1:80', ''])('refuses %j as the address of a pod', (podIP) => {
    expect(() => createPodDoorClient({ address: { ...address, podIP }, signer })).toThrow('podIP is not an address');
  });
});
