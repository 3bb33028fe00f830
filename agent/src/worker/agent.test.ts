import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RUN_QUEUE } from '@podwright/api/names';
import type { Message, RunRecord, RunRequest } from '@podwright/api/run';
import { TERMINAL_RUN_STATES } from '@podwright/api/run';
import { type Attempts, createAttempts } from '@podwright/runs/attempts';
import { type Conversations, createConversations } from '@podwright/runs/conversations';
import { type RedisServer, startRedisServer } from '@podwright/runs/testing/redis-server';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Fault, createDemoModel } from '../demo-model/demo-model.ts';
import { createDemoSite } from '../demo-site/demo-site.ts';
import { type AgentProcess, startAgent } from '../testing/agent-process.ts';
import { type TestChromium, startChromium } from '../testing/chromium.ts';
import { type Doors, openDoors } from '../testing/doors.ts';
import { listen, stopListening } from '../testing/http.ts';

/** Starting a process takes seconds on a busy machine. */
vi.setConfig({ testTimeout: 60_000 });

const SESSION = '11111111-2222-4333-8444-555555555555';
const directory = mkdtempSync(join(tmpdir(), 'podwright-agent-'));
const faults: (Fault | null)[] = [];
const model = createDemoModel({ planFault: () => faults.shift() ?? null });
const shop = createDemoSite({ now: () => new Date() });
/** The shop behind a proxy that can hold answers back, so that a worker can be killed at a chosen moment. */
let onBasket: (() => Promise<void>) | null = null;
const slowShop = createServer((request, response) => {
  const pass = () => shop.server.emit('request', request, response);
  if (request.method === 'POST' && onBasket) void onBasket().then(pass);
  else pass();
});

let redisServer: RedisServer;
let redis: Redis;
let queue: Queue;
let attempts: Attempts;
let conversations: Conversations;
let chromium: TestChromium;
let doors: Doors;
let modelUrl: string;
let shopUrl: string;
const agents: AgentProcess[] = [];

beforeAll(async () => {
  [redisServer, chromium, modelUrl, shopUrl] = await Promise.all([
    startRedisServer(),
    startChromium(),
    listen(model),
    listen(slowShop),
  ]);
  redis = new Redis(redisServer.url, { maxRetriesPerRequest: null });
  redis.on('error', () => {});
  queue = new Queue(RUN_QUEUE.name, { connection: { url: redisServer.url }, prefix: RUN_QUEUE.prefix });
  queue.on('error', () => {});
  attempts = createAttempts({ redis, now: Date.now });
  conversations = createConversations({ redis, now: Date.now });
  doors = await openDoors({ chromium: chromium.endpoint, sessionUid: SESSION });
  writeFileSync(join(directory, 'token'), 'service-account');
  const price = { input: '3', cachedInput: '0.3', output: '15' };
  const entry = (name: string, provider: string) => ({ name, provider, model: name, baseUrl: `${modelUrl}/v1`, price });
  writeFileSync(
    join(directory, 'models.json'),
    JSON.stringify({
      default: 'demo',
      aliases: { 'bu-max': 'demo' },
      models: [entry('demo', 'openai-compatible'), entry('demo-anthropic', 'anthropic')],
    }),
  );
});
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.end('SIGKILL')));
  faults.length = 0;
  onBasket = null;
  doors.session.state = 'live';
});
afterAll(async () => {
  await queue.close();
  redis.disconnect();
  await doors.close();
  await Promise.all([redisServer.close(), chromium.close(), stopListening(model), stopListening(slowShop)]);
  rmSync(directory, { recursive: true, force: true });
});

const agentEnv = (name: string): Record<string, string> => ({
  PODWRIGHT_POD_NAME: name,
  PODWRIGHT_REDIS_URL: redisServer.url,
  PODWRIGHT_GATEWAY_INTERNAL_URL: doors.url,
  PODWRIGHT_KEEPER_URL: doors.url,
  PODWRIGHT_MODELS_FILE: join(directory, 'models.json'),
  PODWRIGHT_INTERNAL_TOKEN_FILE: join(directory, 'token'),
});

/** An agent for one test. */
async function agent(name: string): Promise<AgentProcess> {
  const started = await startAgent(agentEnv(name));
  agents.push(started);
  return started;
}

/** Creates a run as the gateway does: record first, then the job. */
async function start(task: string, more: Partial<RunRequest> = {}): Promise<{ conversationId: string; runId: string }> {
  const key = { conversationId: crypto.randomUUID(), runId: crypto.randomUUID() };
  const createdAt = new Date().toISOString();
  const request: RunRequest = {
    ...key,
    tenant: 'demo',
    sessionUid: SESSION,
    sessionName: 'sample',
    namespace: 'tenant-demo',
    task,
    model: 'demo',
    outputSchema: null,
    maxSteps: 50,
    maxCostMicroUsd: null,
    allowedOrigins: null,
    createdAt,
    ...more,
  };
  await conversations.create(
    {
      id: key.conversationId,
      tenant: 'demo',
      grant: 'k',
      namespace: 'tenant-demo',
      sessionUid: SESSION,
      sessionName: 'sample',
      currentRunId: key.runId,
      modelAlias: 'bu-max',
      keepAlive: false,
      title: null,
      deletedAt: null,
      createdAt,
      updatedAt: createdAt,
      echo: {},
      stoppedAt: null,
    },
    request,
    [],
  );
  await attempts.settle(key, { state: 'queued' });
  await queue.add('run', { ...key, tenant: 'demo' }, { jobId: key.runId });
  return key;
}

async function until<T>(look: () => Promise<T | null | false>, seconds = 30): Promise<T> {
  const deadline = Date.now() + seconds * 1_000;
  for (;;) {
    const found = await look();
    if (found !== null && found !== false) return found;
    if (Date.now() > deadline)
      throw new Error(`not within ${seconds} s; agents said:\n${agents.map((one) => one.log()).join('\n')}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
const ended = (key: { conversationId: string; runId: string }, seconds = 30): Promise<RunRecord> =>
  until(async () => {
    const record = await attempts.get(key);
    return record && TERMINAL_RUN_STATES.has(record.state) ? record : null;
  }, seconds);
const messages = async (key: { conversationId: string }): Promise<Message[]> =>
  (await conversations.messages(key.conversationId, { limit: 100 })).messages;

const PRICE_SCHEMA = {
  type: 'object',
  required: ['price', 'inStock'],
  properties: { price: { type: 'string' }, inStock: { type: 'boolean' } },
  additionalProperties: false,
};

/** An agent takes a while to start: tests that do not end it share one. */
const withSharedAgent = (): void => {
  let shared: AgentProcess;
  beforeAll(async () => {
    shared = await startAgent(agentEnv('agent-shared'));
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') console.error(shared.log());
  });
  afterAll(async () => {
    expect(await shared.end('SIGTERM')).toBe(0);
  });
};

describe('the sample', () => {
  withSharedAgent();

  test.each([
    ['demo', 'Brass Lamp', '89.00 EUR'],
    ['demo-anthropic', 'Book Stand', '29.90 EUR'],
  ])('is done by %s with a structured answer, messages, pictures and cost', async (name, product, price) => {
    const task = `Open ${shopUrl}/ and find the ${product}. Report its price and whether it is in stock.`;
    const key = await start(task, { outputSchema: PRICE_SCHEMA, model: name });
    const record = await ended(key);
    expect(record).toMatchObject({
      state: 'succeeded',
      success: true,
      output: { price, inStock: true },
      failureKind: null,
      attempt: 1,
    });
    expect(record.steps).toBeGreaterThan(2);
    expect(record.lastStepSummary).toContain('bundled demo model');
    expect(record.inputTokens).toBeGreaterThan(record.cachedInputTokens);
    expect(record.cachedInputTokens).toBeGreaterThan(0);
    expect(record.modelCostMicroUsd).toEqual(expectedCost(record));
    expect(doors.pictures.get(`/blobs/${record.screenshotRef}`)).toBeGreaterThan(1_000);
    const told = await messages(key);
    expect(told.map((message) => message.type)).toContain('browser_action_result');
    expect(told.at(-1)).toMatchObject({ type: 'completion', data: JSON.stringify(record.output) });
    await until(async () => (await queue.getJobCounts('active', 'waiting', 'completed', 'failed'))['active'] === 0);
  });

  test('searches when the product is not in view, and answers a sold-out one in words', async () => {
    const key = await start(`On ${shopUrl} what does the "Pruning Shears" cost?`);
    expect(await ended(key)).toMatchObject({
      state: 'succeeded',
      output: expect.stringContaining('41.50 EUR and is sold out'),
    });
  });
});

/** Calls are rounded up one by one, so the sum may be a little above the price of all tokens. */
function expectedCost(record: RunRecord): unknown {
  const fresh =
    (record.inputTokens - record.cachedInputTokens) * 3 + record.cachedInputTokens * 0.3 + record.outputTokens * 15;
  return expect.toSatisfy((cost: number) => cost >= fresh && cost <= fresh + record.steps + 5);
}

describe('a run', () => {
  withSharedAgent();

  test('that gives up says why and keeps its kind', async () => {
    expect(await ended(await start('fail:no such page'))).toMatchObject({
      state: 'failed',
      success: false,
      failureKind: 'agent_gave_up',
      failureMessage: 'no such page',
    });
  });

  test('takes about three seconds and a handful of messages to echo', async () => {
    const started = Date.now();
    const key = await start('echo:hello');
    expect(await ended(key)).toMatchObject({ output: 'hello', steps: 2 });
    expect(Date.now() - started).toBeGreaterThan(2_000);
    expect((await messages(key)).map((message) => message.type)).toEqual([
      'planning',
      'browser_action',
      'browser_action_result',
      'planning',
      'completion',
    ]);
  });

  test.each<[string, string, Partial<RunRequest>, object]>([
    [
      'whose answer never fits',
      'json:{"price":1}',
      { outputSchema: PRICE_SCHEMA },
      { failureKind: 'output_invalid', steps: 3 },
    ],
    [
      'whose schema refers elsewhere',
      'json:1',
      { outputSchema: { $ref: 'http://x/y' } },
      { failureKind: 'output_invalid', steps: 0 },
    ],
    ['with too few steps', 'slow:30', { maxSteps: 2 }, { failureKind: 'step_limit', steps: 2 }],
    ['with too little money', 'slow:30', { maxCostMicroUsd: 12_000 }, { failureKind: 'budget_exceeded' }],
    ['of an unknown model', 'echo:x', { model: 'nobody' }, { failureKind: 'unknown_model' }],
    ['of another session', 'echo:x', { sessionUid: crypto.randomUUID() }, { failureKind: 'session_gone' }],
  ])('%s fails as that', async (_, task, more, expected) => {
    const record = await ended(await start(task, more));
    expect(record).toMatchObject({ state: 'failed', success: false, ...expected });
    if (more.maxCostMicroUsd != null) expect(record.modelCostMicroUsd).toBeLessThanOrEqual(more.maxCostMicroUsd);
  });

  test('survives failures of its model and repairs malformed replies', async () => {
    faults.push('500', 'malformed', 'truncated');
    expect(await ended(await start('json:{"ok":true}'))).toMatchObject({ state: 'succeeded', output: { ok: true } });
  });

  test('whose model stays malformed ends as that', async () => {
    faults.push('malformed', 'malformed', 'malformed');
    expect(await ended(await start('echo:x'))).toMatchObject({ failureKind: 'model_malformed' });
  });

  test('whose model refuses the key ends with its status', async () => {
    faults.push('401');
    expect(await ended(await start('echo:x'))).toMatchObject({ failureKind: 'model_error', failureStatusCode: 401 });
  });

  test('is cancelled within seconds, also in the middle of a wait', async () => {
    const key = await start('slow:60');
    await until(async () => ((await attempts.get(key))?.steps ?? 0) > 0);
    await attempts.setControl(key, 'cancel');
    expect(await ended(key, 4)).toMatchObject({ state: 'cancelled', success: false, failureKind: 'cancelled' });
  });

  test('pauses and goes on', async () => {
    const key = await start('slow:6');
    await until(async () => ((await attempts.get(key))?.steps ?? 0) > 0);
    await attempts.setControl(key, 'pause');
    await until(async () => (await attempts.get(key))?.state === 'paused');
    await attempts.setControl(key, 'resume');
    expect(await ended(key)).toMatchObject({ state: 'succeeded' });
  });

  test('ends as session_gone when its session ends while it works', async () => {
    const key = await start('slow:60');
    await until(async () => ((await attempts.get(key))?.steps ?? 0) > 0);
    doors.session.state = 'ended';
    doors.cut();
    expect(await ended(key)).toMatchObject({ state: 'failed', failureKind: 'session_gone' });
  });

  test('goes on in the same tab when the connection to its browser breaks', async () => {
    const key = await start('slow:8');
    await until(async () => ((await attempts.get(key))?.steps ?? 0) > 0);
    doors.cut();
    expect(await ended(key)).toMatchObject({ state: 'succeeded', attempt: 1 });
  });
});

describe('a lost worker', () => {
  test('is followed by another in seconds, and what it did is not done again', async () => {
    const first = await agent('agent-a');
    const before = shop.requests.filter((request) => request.method === 'POST').length;
    // Killed after the click reached the shop and before its outcome could be written.
    onBasket = () => first.end('SIGKILL').then(() => undefined);
    const key = await start(`Open ${shopUrl} and put the Copper Kettle into the basket.`);
    await until(async () => shop.requests.filter((request) => request.method === 'POST').length > before);
    onBasket = null;
    const killedAt = Date.now();
    await agent('agent-b');
    const record = await ended(key);
    expect(Date.now() - killedAt).toBeLessThan(15_000);
    expect(record).toMatchObject({
      state: 'succeeded',
      attempt: 2,
      output: expect.stringContaining('Copper Kettle is in the basket'),
    });
    expect(shop.requests.filter((request) => request.method === 'POST')).toHaveLength(before + 1);
    const journal = await attempts.readJournal(key);
    expect(journal.filter((entry) => entry.kind === 'intent').length).toBe(
      journal.filter((entry) => entry.kind === 'outcome').length + 1,
    );
  });

  test('that is told to end finishes its step and hands the run over at once', async () => {
    const first = await agent('agent-a');
    const key = await start('slow:8');
    await until(async () => ((await attempts.get(key))?.steps ?? 0) > 0);
    await agent('agent-b');
    const started = Date.now();
    expect(await first.end('SIGTERM')).toBe(0);
    expect(Date.now() - started).toBeLessThan(5_000);
    expect(await ended(key)).toMatchObject({ state: 'succeeded', attempt: 2, output: 'waited 8 seconds', steps: 5 });
  });
});

test('a Redis that is killed and started again interrupts nothing for long', async () => {
  await agent('agent-a');
  const key = await start('slow:12');
  await until(async () => ((await attempts.get(key))?.steps ?? 0) > 0);
  await redisServer.kill();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await redisServer.start();
  expect(await ended(key, 40)).toMatchObject({ state: 'succeeded', output: 'waited 12 seconds' });
});
