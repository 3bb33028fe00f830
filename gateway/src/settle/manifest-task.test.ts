import type { BrowserSession, Task } from '@podwright/api/kinds/session';
import type { BrowserTenant, BrowserTenantSpec } from '@podwright/api/kinds/tenant';
import type { ModelsFile } from '@podwright/api/models';
import { createAttempts } from '@podwright/runs/attempts';
import { createConversations } from '@podwright/runs/conversations';
import { type RedisServer, startRedisServer } from '@podwright/runs/testing/redis-server';
import { createWaitingLine } from '@podwright/runs/waiting-line';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPlanRun } from '../conversations/plan-run.ts';
import { createCostLedger } from '../metering/cost-ledger.ts';
import { createManifestTasks } from './manifest-task.ts';

let server: RedisServer;
let redis: Redis;
const now = () => Date.parse('2026-06-15T12:00:00Z');
const models: ModelsFile = {
  default: 'small',
  aliases: {},
  models: [
    {
      name: 'small',
      provider: 'openai',
      model: 's',
      contextLimit: 1000,
      price: { input: '0', cachedInput: '0', output: '0' },
    },
  ],
};

beforeAll(async () => {
  server = await startRedisServer();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.close();
});

/** The record of the run that a manifest's task becomes in a tenant that has spent `spentMicroUsd` today. */
async function recordOf(spec: Partial<BrowserTenantSpec>, task: Partial<Task>, spentMicroUsd = 0) {
  const uid = crypto.randomUUID();
  const tenant = { metadata: { name: `t-${uid}` }, spec: { namespace: 'n', ...spec } } as BrowserTenant;
  const session = {
    metadata: { uid, name: 's', namespace: 'n', creationTimestamp: '2026-06-15T12:00:00Z' },
    spec: { task: { instructions: 'do it', ...task } },
  } as BrowserSession;
  const conversations = createConversations({ redis, now });
  const ledger = createCostLedger({ redis });
  await ledger.checkpoint(tenant.metadata.name, 'model', 'earlier', spentMicroUsd, now());
  const tasks = createManifestTasks({
    conversations,
    attempts: createAttempts({ redis, now }),
    waitingLine: createWaitingLine(redis),
    planRun: createPlanRun({ models, ledger, now }),
    onWaiting: () => {},
    now,
  });
  expect(await tasks.ensure(session, tenant)).toBe(true);
  return (await conversations.get(uid))?.run;
}

describe('a task of a manifest', () => {
  test('waits for its turn under the least of all caps', async () => {
    const run = await recordOf({ budgets: { perRunUsd: '1', perDayUsd: '0.50' } }, { maxCostUsd: '0.75' }, 200_000);
    expect(run).toMatchObject({ state: 'waiting', request: { model: 'small', maxCostMicroUsd: 300_000 } });
  });

  test('without any cap has none', async () => {
    expect((await recordOf({}, {}))?.request.maxCostMicroUsd).toBeNull();
  });

  test.each<[string, Partial<BrowserTenantSpec>, Partial<Task>, string]>([
    ['a used-up day', { budgets: { perDayUsd: '0.10' } }, {}, 'budget_exceeded'],
    ['a used-up month', { budgets: { perMonthUsd: '0.10' } }, {}, 'budget_exceeded'],
    ['a policy that lets nobody start runs', { policy: { startRun: 'Off' } }, {}, 'not_allowed'],
    ['a schema that is none', {}, { outputSchema: { type: 'strng' } }, 'output_invalid'],
    ['a model that is not there', {}, { model: 'nobody' }, 'unknown_model'],
    ['a model that the tenant may not use', { allowedModels: ['other'] }, { model: 'small' }, 'unknown_model'],
  ])('fails at once for %s, and says so', async (_name, spec, task, failureKind) => {
    const run = await recordOf(spec, task, 100_000);
    expect(run).toMatchObject({ state: 'failed', success: false, failureKind });
    expect(run?.failureMessage).toBeTruthy();
  });
});
