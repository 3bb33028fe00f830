import { Type } from 'typebox';
import { HttpUrl, LogLevel, Port, listOf, readEnvironment } from '@podwright/api/environment';
import { PORT } from '@podwright/api/names';

/** Environment of the gateway, read once. */
export const GatewayEnv = Type.Object({
  PODWRIGHT_INSTALLATION: Type.String({ minLength: 1, default: 'podwright' }),
  PODWRIGHT_PREFIX: Type.String({ minLength: 1, default: 'podwright' }),
  PODWRIGHT_NAMESPACE: Type.String({ minLength: 1, default: 'podwright-system' }),
  PODWRIGHT_POD_NAME: Type.String({ minLength: 1, default: 'gateway-local' }),
  PODWRIGHT_LOG_LEVEL: LogLevel,
  PODWRIGHT_REDIS_URL: Type.String({ pattern: '^rediss?://' }),
  PODWRIGHT_TOKEN_KEY_DIR: Type.String({ minLength: 1, default: '/etc/podwright/token-key' }),
  PODWRIGHT_TOKEN_KEYS_DIR: Type.String({ minLength: 1, default: '/etc/podwright/token-keys' }),
  PODWRIGHT_PUBLIC_URL: Type.String({ pattern: '^https?://[^/?#]+(/[^?#]*[^/?#])?/?$' }),
  PODWRIGHT_KEEPER_URL: HttpUrl({ default: 'http://podwright-keeper:8082' }),
  PODWRIGHT_MODELS_FILE: Type.String({ minLength: 1, default: '/etc/podwright/models/models.json' }),
  PODWRIGHT_PORT: Port(PORT.gateway),
  PODWRIGHT_INTERNAL_PORT: Port(PORT.gatewayInternal),
  /** Host names beside the one of the public URL under which people open viewers; comma list. */
  PODWRIGHT_EXTRA_HOSTS: Type.String({ default: '' }),
  /** Origins that may embed the viewer; comma list, `*` for any. Tenants can name their own. */
  PODWRIGHT_FRAME_ANCESTORS: Type.String({ default: '' }),
  /** True behind a proxy that sets X-Forwarded-For. */
  PODWRIGHT_TRUST_PROXY: Type.Boolean({ default: false }),
  /** How long a draining replica keeps answering after its readiness went off. */
  PODWRIGHT_DRAIN_SECONDS: Type.Integer({ minimum: 0, maximum: 600, default: 8 }),
});

export interface Config {
  installation: string;
  prefix: string;
  namespace: string;
  podName: string;
  logLevel: string;
  redisUrl: string;
  tokenKeyDir: string;
  tokenKeysDir: string;
  /** Absolute, no trailing slash: base of every URL given out. */
  publicUrl: string;
  keeperUrl: string;
  modelsFile: string;
  port: number;
  internalPort: number;
  /** `host[:port]` values under which the viewer may be opened. */
  viewerHosts: ReadonlySet<string>;
  frameAncestors: readonly string[];
  trustProxy: boolean;
  drainMs: number;
}

/** Parses the environment; throws one Error that names every problem. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const checked = readEnvironment(GatewayEnv, env);
  const publicUrl = checked.PODWRIGHT_PUBLIC_URL.replace(/\/$/, '');
  return Object.freeze({
    installation: checked.PODWRIGHT_INSTALLATION,
    prefix: checked.PODWRIGHT_PREFIX,
    namespace: checked.PODWRIGHT_NAMESPACE,
    podName: checked.PODWRIGHT_POD_NAME,
    logLevel: checked.PODWRIGHT_LOG_LEVEL,
    redisUrl: checked.PODWRIGHT_REDIS_URL,
    tokenKeyDir: checked.PODWRIGHT_TOKEN_KEY_DIR,
    tokenKeysDir: checked.PODWRIGHT_TOKEN_KEYS_DIR,
    publicUrl,
    keeperUrl: checked.PODWRIGHT_KEEPER_URL.replace(/\/$/, ''),
    modelsFile: checked.PODWRIGHT_MODELS_FILE,
    port: checked.PODWRIGHT_PORT,
    internalPort: checked.PODWRIGHT_INTERNAL_PORT,
    viewerHosts: new Set([new URL(publicUrl).host, ...listOf(checked.PODWRIGHT_EXTRA_HOSTS)]),
    frameAncestors: listOf(checked.PODWRIGHT_FRAME_ANCESTORS),
    trustProxy: checked.PODWRIGHT_TRUST_PROXY,
    drainMs: checked.PODWRIGHT_DRAIN_SECONDS * 1000,
  });
}
