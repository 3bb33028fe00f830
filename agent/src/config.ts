import { HttpUrl, LogLevel, Port, readEnvironment } from '@podwright/api/environment';
import { INTERNAL_TOKEN_PATH, PORT } from '@podwright/api/names';
import { Type } from 'typebox';

/** Environment of an agent, read once. Keys of models are further variables, named by the models file. */
const Environment = Type.Object({
  PODWRIGHT_POD_NAME: Type.String({ minLength: 1, default: 'agent-local' }),
  PODWRIGHT_LOG_LEVEL: LogLevel,
  PODWRIGHT_REDIS_URL: Type.String({ pattern: '^rediss?://' }),
  PODWRIGHT_GATEWAY_INTERNAL_URL: HttpUrl({ default: 'http://podwright-gateway-internal:8081' }),
  PODWRIGHT_KEEPER_URL: HttpUrl({ default: 'http://podwright-keeper:8082' }),
  PODWRIGHT_MODELS_FILE: Type.String({ minLength: 1, default: '/etc/podwright/models/models.json' }),
  PODWRIGHT_INTERNAL_TOKEN_FILE: Type.String({ minLength: 1, default: INTERNAL_TOKEN_PATH }),
  /** Runs worked on at the same time. */
  PODWRIGHT_AGENT_CONCURRENCY: Type.Integer({ minimum: 1, maximum: 64, default: 4 }),
  /** Longest time one attempt works on a run. */
  PODWRIGHT_MAX_RUN_SECONDS: Type.Integer({ minimum: 1, default: 14_400 }),
  /** How long a step may still take when the process is told to end. */
  PODWRIGHT_DRAIN_SECONDS: Type.Integer({ minimum: 0, maximum: 600, default: 45 }),
  PODWRIGHT_METRICS_PORT: Port(PORT.metrics),
});

export interface Config {
  podName: string;
  logLevel: string;
  redisUrl: string;
  gatewayUrl: string;
  keeperUrl: string;
  modelsFile: string;
  tokenFile: string;
  concurrency: number;
  maxRunMs: number;
  drainMs: number;
  metricsPort: number;
}

/** Throws one Error that names every problem. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const parsed = readEnvironment(Environment, env);
  return Object.freeze({
    podName: parsed.PODWRIGHT_POD_NAME,
    logLevel: parsed.PODWRIGHT_LOG_LEVEL,
    redisUrl: parsed.PODWRIGHT_REDIS_URL,
    gatewayUrl: parsed.PODWRIGHT_GATEWAY_INTERNAL_URL.replace(/\/$/, ''),
    keeperUrl: parsed.PODWRIGHT_KEEPER_URL.replace(/\/$/, ''),
    modelsFile: parsed.PODWRIGHT_MODELS_FILE,
    tokenFile: parsed.PODWRIGHT_INTERNAL_TOKEN_FILE,
    concurrency: parsed.PODWRIGHT_AGENT_CONCURRENCY,
    maxRunMs: parsed.PODWRIGHT_MAX_RUN_SECONDS * 1_000,
    drainMs: parsed.PODWRIGHT_DRAIN_SECONDS * 1_000,
    metricsPort: parsed.PODWRIGHT_METRICS_PORT,
  });
}
