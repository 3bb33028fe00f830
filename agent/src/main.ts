import { readFileSync } from 'node:fs';
import type { ModelEntry } from '@podwright/api/models';
import { startHealthServer } from '@podwright/kube/health-server';
import { createAttempts } from '@podwright/runs/attempts';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { readConfig } from './config.ts';
import { createMetrics } from './metrics.ts';
import { type AskModel, createAskModel } from './models/call-model.ts';
import { parseModelsFile } from './models/models-file.ts';
import { createProviderModel } from './models/provider.ts';
import { createOutageLog } from './worker/outage-log.ts';
import { createDoorClient } from './worker/pod-door-pass.ts';
import { createRunQueue } from './worker/run-queue.ts';
import { createScreenshotStore } from './worker/screenshot-store.ts';
import { createRunWorker } from './worker/work-on-run.ts';

const config = readConfig(process.env);
const now = Date.now;
const log = pino({ level: config.logLevel, base: { part: 'agent', pod: config.podName } });
const metrics = createMetrics();
const models = parseModelsFile(readFileSync(config.modelsFile, 'utf8'));
const forced = new AbortController();
let draining = false;

const asks = new Map<string, AskModel>();
const askModel = (entry: ModelEntry): AskModel => {
  const known = asks.get(entry.name);
  if (known) return known;
  const ask = createAskModel({ entry, model: createProviderModel(entry, process.env), random: Math.random });
  asks.set(entry.name, ask);
  return ask;
};

// Commands wait while Redis is away; each caller has its own deadline.
const redis = new Redis(config.redisUrl, {
  maxRetriesPerRequest: null,
  retryStrategy: (times) => Math.min(times * 100, 1_000),
});
redis.on('error', createOutageLog({ log, what: 'redis', now }));

const workOn = createRunWorker({
  attempts: createAttempts({ redis, now }),
  // A restarted container has the same name and must not pass for the one before.
  worker: `${config.podName}/${process.pid}/${now()}`,
  models,
  askModel,
  askDoor: createDoorClient(config),
  saveScreenshot: createScreenshotStore({
    ...config,
    onFailure: (error) => log.warn({ error: error instanceof Error ? error.message : '' }, 'screenshot not stored'),
  }),
  metrics,
  log,
  maxRunMs: config.maxRunMs,
  isDraining: () => draining,
  forced: forced.signal,
  now,
});
const queue = createRunQueue({ redisUrl: config.redisUrl, concurrency: config.concurrency, workOn, log });
queue.start();

const health = await startHealthServer({
  port: config.metricsPort,
  registry: metrics.registry,
  async ready() {
    if (draining) throw new Error('shutting down');
    if (redis.status !== 'ready' || !queue.isReady()) throw new Error('redis does not answer');
  },
});
log.info({ models: models.models.map((model) => model.name), concurrency: config.concurrency }, 'agent is up');

/** Finishes the steps at work and hands their runs back; what takes too long is taken over by others. */
async function drain(signal: NodeJS.Signals): Promise<void> {
  if (draining) return;
  draining = true;
  log.info({ signal }, 'draining');
  const patience = setTimeout(() => forced.abort(new Error('the agent is shutting down')), config.drainMs);
  await queue.close();
  clearTimeout(patience);
  redis.disconnect();
  await health.stop();
}
process.once('SIGTERM', (signal) => void drain(signal));
process.once('SIGINT', (signal) => void drain(signal));
