import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BrowserSession } from '@podwright/api/kinds/session';
import type { BrowserTenant } from '@podwright/api/kinds/tenant';
import type { Conversation, RunRequest } from '@podwright/api/run';
import { createAttempts } from '@podwright/runs/attempts';
import { createConversations } from '@podwright/runs/conversations';
import { type RedisServer, startRedisServer } from '@podwright/runs/testing/redis-server';
import { createWaitingLine } from '@podwright/runs/waiting-line';
import type { SessionCache } from '../sessions/session-cache.ts';
import { type Dispatcher, startDispatcher } from './dispatcher.ts';
import { createMarkQueued } from './queue-run.ts';
import { type RunQueue, createRunQueue } from './run-queue.ts';

/** Real Redis and the real queue; only the cluster is a map. */
const log = pino({ level: 'silent' });
let server: RedisServer;
let redis: Redis;
let queue: RunQueue;
const sessions = new Map<string, BrowserSession>();
const cache = {
  byUid: (uid: string) => sessions.get(uid),
  read: async ({ uid }: { uid: string }) => sessions.get(uid) ?? null,
} as unknown as SessionCache;
const running: Dispatcher[] = [];

beforeAll(async () => {
  server = await startRedisServer();
  redis = new Redis(server.url);
  redis.on('error', () => {});
  queue = createRunQueue({ redisUrl: server.url, log });
});
afterAll(async () => {
  await queue.close();
  redis.disconnect();
  await server.close();
});
beforeEach(async () => {
  sessions.clear();
  await redis.flushall();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((dispatcher) => dispatcher.stop()));
});

const tenant = (name: string): BrowserTenant =>
  ({ metadata: { name }, spec: { namespace: name } }) as unknown as BrowserTenant;
const start = (lost: string[] = [], tenants = [tenant('a')]): Dispatcher => {
  const conversations = createConversations({ redis, now: Date.now });
  const dispatcher = startDispatcher({
    tenants: () => tenants,
    conversations,
    waitingLine: createWaitingLine(redis),
    queue,
    markQueued: createMarkQueued({ redis, now: Date.now }),
    cache,
    onLost: (uid) => lost.push(uid),
    log,
  });
  running.push(dispatcher);
  return dispatcher;
};

/** A run that waits in the line of its tenant. */
async function waitingRun(name: string): Promise<{ runId: string; conversationId: string; sessionUid: string }> {
  const ids = { runId: randomUUID(), conversationId: randomUUID(), sessionUid: randomUUID() };
  const stamp = new Date().toISOString();
  const conversation = {
    id: ids.conversationId,
    tenant: name,
    sessionUid: ids.sessionUid,
    currentRunId: ids.runId,
    createdAt: stamp,
    echo: {},
  } as unknown as Conversation;
  const request = {
    ...ids,
    tenant: name,
    namespace: name,
    sessionName: 's',
    task: 'x',
    createdAt: stamp,
  } as unknown as RunRequest;
  await createConversations({ redis, now: Date.now }).create(conversation, request, []);
  await createWaitingLine(redis).add(name, ids.runId, Date.now());
  return ids;
}
const becomeReady = (uid: string, status: object = { phase: 'Ready', podIP: '10.0.0.1', podUID: 'p' }): void => {
  sessions.set(uid, { metadata: { uid }, spec: {}, status } as unknown as BrowserSession);
};
const stateOf = async (ids: { runId: string; conversationId: string }) =>
  (await createAttempts({ redis, now: Date.now }).get(ids))?.state;

describe('dispatch', () => {
  test('a run waits for its browser and is queued once, whichever replica sees it first', async () => {
    const ids = await waitingRun('a');
    const replicas = [start(), start(), start()];
    for (const replica of replicas) replica.kick();
    await new Promise((done) => setTimeout(done, 200));
    expect(await stateOf(ids)).toBe('waiting');
    becomeReady(ids.sessionUid);
    for (const replica of replicas) replica.kick();
    await expect.poll(() => queue.waiting()).toBe(1);
    expect(await stateOf(ids)).toBe('queued');
    expect(await queue.has(ids.runId)).toBe(true);
    expect(await createWaitingLine(redis).running('a')).toEqual([ids.runId]);
  });

  test('a run that an agent has begun is not put back', async () => {
    const ids = await waitingRun('a');
    becomeReady(ids.sessionUid);
    await createAttempts({ redis, now: Date.now }).take(ids, 'worker');
    start().kick();
    await expect.poll(() => createWaitingLine(redis).running('a')).toEqual([ids.runId]);
    expect(await stateOf(ids)).toBe('running');
    expect(await queue.waiting()).toBe(0);
  });

  test('a run whose browser failed is handed to the settler', async () => {
    const ids = await waitingRun('a');
    becomeReady(ids.sessionUid, { phase: 'Failed' });
    const lost: string[] = [];
    start(lost).kick();
    await expect.poll(() => lost).toContain(ids.sessionUid);
    expect(await queue.waiting()).toBe(0);
  });

  test('a line without a record is swept', async () => {
    await createWaitingLine(redis).add('a', randomUUID(), 1);
    start().kick();
    await expect.poll(() => createWaitingLine(redis).waiting('a', 10)).toEqual([]);
  });

  test('a Redis that was away and came back is worked with again', async () => {
    const ids = await waitingRun('a');
    const dispatcher = start();
    await server.kill();
    becomeReady(ids.sessionUid);
    dispatcher.kick();
    await server.start();
    await expect.poll(() => stateOf(ids).catch(() => 'away'), { timeout: 15_000 }).toBe('queued');
  });
});
