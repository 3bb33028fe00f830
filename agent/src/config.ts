import { INTERNAL_TOKEN_PATH, PORT } from '@podwright/api/names';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

/** Environment of an agent, read once. Keys of models are further variables, named by the models file. */
const Environment = Type.Object({
  PODWRIGHT_POD_NAME: Type.String({ minLength: 1, default: 'agent-local' }),
  PODWRIGHT_LOG_LEVEL: Type.String({ default: 'info', pattern: '^(trace|debug|info|warn|error|fatal)$' }),
  PODWRIGHT_REDIS_URL: Type.String({ pattern: '^rediss?://' }),
  PODWRIGHT_GATEWAY_INTERNAL_URL: Type.String({
    pattern: '^https?://',
    default: 'http://podwright-gateway-internal:8081',
  }),
  PODWRIGHT_KEEPER_URL: Type.String({ pattern: '^https?://', default: 'http://podwright-keeper:8082' }),
  PODWRIGHT_MODELS_FILE: Type.String({ minLength: 1, default: '/etc/podwright/models/models.json' }),
  PODWRIGHT_INTERNAL_TOKEN_FILE: Type.String({ minLength: 1, default: INTERNAL_TOKEN_PATH }),
  /** Runs worked on at the same time. */
  PODWRIGHT_AGENT_CONCURRENCY: Type.Integer({ minimum: 1, maximum: 64, default: 4 }),
  /** Longest time one attempt works on a run. */
  PODWRIGHT_MAX_RUN_SECONDS: Type.Integer({ minimum: 1, default: 14_400 }),
  /** How long a step may still take when the process is told to end. */
  PODWRIGHT_DRAIN_SECONDS: Type.Integer({ minimum: 0, maximum: 600, default: 45 }),
  PODWRIGHT_METRICS_PORT: Type.Integer({ minimum: 0, maximum: 65_535, default: PORT.metrics }),
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

/** Throws one Error that names every problem. A variable that is set to nothing counts as absent. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(
    Object.keys(Environment.properties)
      .map((name) => [name, env[name]])
      .filter(([, value]) => value !== undefined && value !== ''),
  );
  const values = Value.Convert(Environment, Value.Default(Environment, given));
  const problems = Value.Errors(Environment, values).map(
    ({ instancePath, message }) => `${instancePath.slice(1) || 'environment'}: ${message}`,
  );
  if (problems.length > 0) throw new Error(`the environment is not usable:\n  ${problems.join('\n  ')}`);
  const parsed = values as Static<typeof Environment>;
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
