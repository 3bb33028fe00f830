import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BrowserSession } from '@podwright/api/kinds/session';
import type { Conversation, RunRequest } from '@podwright/api/run';
import { createSigner, createVerifier } from '@podwright/api/tokens';
import { createAttempts } from '@podwright/runs/attempts';
import { createConversations } from '@podwright/runs/conversations';
import { type RedisServer, startRedisServer } from '@podwright/runs/testing/redis-server';
import type { SessionCache } from '../sessions/session-cache.ts';
import { createPodTokens } from './pod-tokens.ts';

let server: RedisServer;
let redis: Redis;
beforeAll(async () => {
  server = await startRedisServer();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.close();
});

const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

async function setUp(status: object = { phase: 'Running', podIP: '10.0.0.7', podUID: 'pod-1' }) {
  const now = Date.now;
  const ids = { runId: randomUUID(), conversationId: randomUUID() };
  const sessionUid = randomUUID();
  const stamp = new Date().toISOString();
  const conversation = {
    id: ids.conversationId,
    tenant: 't',
    sessionUid,
    currentRunId: ids.runId,
    createdAt: stamp,
  } as unknown as Conversation;
  const request = { ...ids, tenant: 't', namespace: 'n', sessionName: 's', sessionUid } as unknown as RunRequest;
  await createConversations({ redis, now }).create(conversation, request, []);
  const attempts = createAttempts({ redis, now });
  const attempt = (await attempts.take(ids, 'worker')) as number;
  const session = { metadata: { uid: sessionUid }, spec: {}, status } as unknown as BrowserSession;
  const cache = { read: async () => session } as unknown as SessionCache;
  const signer = await createSigner({ issuer: 'gateway', installation: 'i', kid: 'k', privatePem: privateKey, now });
  return { tokens: createPodTokens({ attempts, cache, signer }), attempts, ids, attempt, sessionUid };
}

describe('tokens for agents', () => {
  test('name the pod, the session, the run and its attempt', async () => {
    const { tokens, ids, attempt, sessionUid } = await setUp();
    const answer = await tokens.issue({ ...ids, attempt, scope: 'cdp' });
    expect(answer).toMatchObject({ doorUrl: 'http://10.0.0.7:9000', podUid: 'pod-1', sessionUid });
    const keys = { operator: [], keeper: [], gateway: [{ kid: 'k', pem: publicKey }] };
    const verifier = await createVerifier({ installation: 'i', podUid: 'pod-1', keys, now: Date.now });
    expect(await verifier.verify(answer.token)).toMatchObject({
      scope: 'cdp',
      subject: sessionUid,
      attempt,
      run: ids.runId,
    });
  });

  test('are refused to an attempt that was taken over', async () => {
    const { tokens, attempts, ids, attempt } = await setUp();
    await attempts.handBack(ids, attempt);
    const next = (await attempts.take(ids, 'another')) as number;
    await expect(tokens.issue({ ...ids, attempt, scope: 'cdp' })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(tokens.issue({ ...ids, attempt: next, scope: 'cdp' })).resolves.toBeDefined();
  });

  test.each(['view', 'control', 'bind', 'profile', 'quiesce'] as const)('are never given for %s', async (scope) => {
    const { tokens, ids, attempt } = await setUp();
    await expect(tokens.issue({ ...ids, attempt, scope })).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('are refused when the run or its browser has ended', async () => {
    const ended = await setUp();
    await ended.attempts.commit(ended.ids, ended.attempt, { state: 'succeeded' });
    await expect(ended.tokens.issue({ ...ended.ids, attempt: ended.attempt, scope: 'cdp' })).rejects.toMatchObject({
      code: 'forbidden',
    });
    const gone = await setUp({ phase: 'Failed' });
    await expect(gone.tokens.issue({ ...gone.ids, attempt: gone.attempt, scope: 'cdp' })).rejects.toMatchObject({
      code: 'session_ended',
    });
    await expect(
      gone.tokens.issue({ ...gone.ids, runId: randomUUID(), attempt: 1, scope: 'cdp' }),
    ).rejects.toMatchObject({ code: 'run_not_found' });
  });
});
