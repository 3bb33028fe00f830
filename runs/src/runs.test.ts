import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Conversation, type RunRequest, messageId, messageSequence } from '@podwright/api/run';
import { createAttempts } from './attempts.ts';
import { createConversations, messageRange } from './conversations.ts';
import { type RedisServer, startRedisServer } from './testing/redis-server.ts';

let server: RedisServer;
let redis: Redis;
const now = () => 1_700_000_000_000;

beforeAll(async () => {
  server = await startRedisServer();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.close();
});
beforeEach(() => redis.flushall());

const uuid = () => crypto.randomUUID();
const conversationOf = (id: string, currentRunId: string | null): Conversation => ({
  id,
  tenant: 'demo',
  grant: 'k1',
  namespace: 'tenant-demo',
  sessionUid: uuid(),
  sessionName: 's',
  currentRunId,
  modelAlias: 'bu-max',
  keepAlive: false,
  title: null,
  deletedAt: null,
  createdAt: new Date(now()).toISOString(),
  updatedAt: new Date(now()).toISOString(),
  echo: {},
  stoppedAt: null,
});
const requestOf = (conversationId: string, runId: string): RunRequest => ({
  runId,
  conversationId,
  tenant: 'demo',
  sessionUid: uuid(),
  sessionName: 's',
  namespace: 'tenant-demo',
  task: 'do it',
  model: 'demo',
  outputSchema: null,
  maxSteps: 10,
  maxCostMicroUsd: null,
  allowedOrigins: null,
  createdAt: new Date(now()).toISOString(),
});
const note = (data: string) => ({
  runId: null,
  role: 'ai' as const,
  type: 'assistant_message' as const,
  data,
  summary: data,
  screenshotRef: null,
  hidden: false,
});

async function started() {
  const conversations = createConversations({ redis, now });
  const attempts = createAttempts({ redis, now });
  const key = { conversationId: uuid(), runId: uuid() };
  const conversation = conversationOf(key.conversationId, key.runId);
  await conversations.create(conversation, requestOf(key.conversationId, key.runId), [note('hello')]);
  return { conversations, attempts, key, conversation };
}

describe('conversations', () => {
  test('a repeated create changes nothing and says so', async () => {
    const { conversations, conversation, key } = await started();
    expect(
      await conversations.create({ ...conversation, title: 'other' }, requestOf(key.conversationId, uuid()), [
        note('again'),
      ]),
    ).toBe(false);
    const view = await conversations.get(key.conversationId);
    expect(view?.conversation.title).toBeNull();
    expect(view?.run?.request.runId).toBe(key.runId);
    expect((await conversations.messages(key.conversationId, { limit: 10 })).messages).toHaveLength(1);
  });

  test('a follow-up is refused while a run works, and resets everything a caller reads once it starts', async () => {
    const { conversations, attempts, key } = await started();
    const attempt = (await attempts.take(key, 'w1')) as number;
    const before = (await conversations.get(key.conversationId))!;
    const next = requestOf(key.conversationId, uuid());
    expect(await conversations.startRun(before, next, {}, [])).toBe('busy');
    await attempts.commit(key, attempt, { state: 'succeeded', output: 'first', success: true });
    expect(await conversations.startRun(before, next, { modelAlias: 'bu-mini' }, [note('again')])).toBe('started');
    const view = (await conversations.get(key.conversationId))!;
    expect(view.run).toMatchObject({ state: 'waiting', output: null, success: null });
    expect(view.conversation.modelAlias).toBe('bu-mini');
    expect(await conversations.startRun(before, requestOf(key.conversationId, uuid()), {}, [])).toBe('changed');
  });

  test('lists newest first with a total', async () => {
    const conversations = createConversations({ redis, now });
    const ids = [uuid(), uuid(), uuid()];
    for (const [index, id] of ids.entries()) {
      await conversations.create(
        { ...conversationOf(id, null), createdAt: new Date(now() + index).toISOString() },
        null,
        [],
      );
    }
    expect(await conversations.list('demo', 0, 2)).toEqual({ ids: [ids[2], ids[1]], total: 3 });
  });
});

describe('attempts', () => {
  test('a worker cannot take a run whose worker shows signs of life, and can once it is handed back', async () => {
    const { attempts, key } = await started();
    const first = (await attempts.take(key, 'w1')) as number;
    expect(await attempts.take(key, 'w2')).toBe('alive');
    expect(await attempts.handBack(key, first)).toBe(true);
    expect(await attempts.take(key, 'w2')).toBe(first + 1);
  });

  test('a superseded attempt writes neither fields, messages nor journal', async () => {
    const { attempts, conversations, key } = await started();
    const first = (await attempts.take(key, 'w1')) as number;
    await attempts.handBack(key, first);
    const second = (await attempts.take(key, 'w2')) as number;
    await expect(attempts.commit(key, first, { steps: 9 }, [note('ghost')])).rejects.toThrow('superseded');
    await expect(attempts.journal(key, { kind: 'intent', attempt: first, step: 1, data: null })).rejects.toThrow(
      'superseded',
    );
    expect(await attempts.beat(key, first, 'w1')).toBe(false);
    await attempts.commit(key, second, { steps: 1 }, [note('real')]);
    expect((await conversations.messages(key.conversationId, { limit: 10 })).messages.map((m) => m.data)).toEqual([
      'hello',
      'real',
    ]);
    expect((await attempts.get(key))?.steps).toBe(1);
  });

  test('nothing is written after the end, not even by the gateway', async () => {
    const { attempts, key } = await started();
    const attempt = (await attempts.take(key, 'w1')) as number;
    await attempts.commit(key, attempt, { state: 'succeeded', output: { a: 1 }, success: true });
    expect(await attempts.settle(key, { state: 'failed', failureKind: 'session_gone' })).toBe(false);
    await expect(attempts.commit(key, attempt, { steps: 3 })).rejects.toThrow('ended');
    expect(await attempts.take(key, 'w2')).toBe('ended');
    expect((await attempts.get(key))?.output).toEqual({ a: 1 });
  });

  test('the record survives a killed Redis', async () => {
    const { attempts, key } = await started();
    const attempt = (await attempts.take(key, 'w1')) as number;
    await attempts.commit(key, attempt, { steps: 2 });
    await server.kill();
    await server.start();
    expect((await attempts.get(key))?.steps).toBe(2);
    await attempts.commit(key, attempt, { steps: 3 });
    expect((await attempts.get(key))?.steps).toBe(3);
  });
});

describe('pages of messages', () => {
  test.each([
    ['no cursor gives the newest', 250, 100, {}, { first: 151, last: 250, hasMore: true }],
    ['limit 1 without a cursor gives the newest message', 5, 1, {}, { first: 5, last: 5, hasMore: true }],
    ['after gives the oldest that follow', 250, 100, { after: 100 }, { first: 101, last: 200, hasMore: true }],
    ['after the last gives an empty page', 250, 100, { after: 250 }, null],
    ['before gives the newest that precede', 250, 100, { before: 101 }, { first: 1, last: 100, hasMore: false }],
    ['before the first gives an empty page', 250, 100, { before: 1 }, null],
    ['an unknown cursor gives an empty page, never the whole list', 250, 100, { after: null }, null],
    ['between two cursors', 250, 100, { after: 10, before: 15 }, { first: 11, last: 14, hasMore: false }],
  ])('%s', (_name, total, limit, cursor, expected) => {
    expect(messageRange(total, limit, cursor)).toEqual(expected);
  });

  test('an id carries its sequence number and belongs to one conversation', () => {
    const id = uuid();
    expect(messageSequence(id, messageId(id, 4711))).toBe(4711);
    expect(messageSequence(uuid(), messageId(id, 4711))).toBeNull();
    expect(messageSequence(id, 'nonsense')).toBeNull();
    expect(messageId(id, 1)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
