import { Type } from 'typebox';
import { HttpUrl, LogLevel, Port, readEnvironment } from '@podwright/api/environment';
import { PORT } from '@podwright/api/names';

const Environment = Type.Object({
  PODWRIGHT_INSTALLATION: Type.String({ default: 'podwright' }),
  PODWRIGHT_PREFIX: Type.String({ default: 'podwright' }),
  PODWRIGHT_NAMESPACE: Type.String({ minLength: 1, description: 'namespace of the release' }),
  PODWRIGHT_LOG_LEVEL: LogLevel,
  PODWRIGHT_TOKEN_KEY_DIR: Type.String({ default: '/etc/podwright/token-key' }),
  PODWRIGHT_TOKEN_KEYS_DIR: Type.String({ default: '/etc/podwright/token-keys' }),
  PODWRIGHT_WRAPPING_KEY_FILE: Type.String({ default: '/etc/podwright/wrapping-key/wrapping.key' }),
  PODWRIGHT_BLOB_DIR: Type.Optional(Type.String({ pattern: '^/' })),
  PODWRIGHT_S3_BUCKET: Type.Optional(Type.String({ minLength: 3 })),
  PODWRIGHT_S3_REGION: Type.String({ default: 'us-east-1' }),
  PODWRIGHT_S3_ENDPOINT: Type.Optional(HttpUrl()),
  PODWRIGHT_S3_FORCE_PATH_STYLE: Type.Boolean({ default: false }),
  PODWRIGHT_S3_PREFIX: Type.String({ default: '', pattern: '^(|.+/)$' }),
  PODWRIGHT_KEEPER_PORT: Port(PORT.keeper),
  PODWRIGHT_ADMIN_PORT: Port(PORT.keeperAdmin),
  PODWRIGHT_PROFILE_SAVE_SECONDS: Type.Integer({ minimum: 1, maximum: 86_400, default: 180 }),
  PODWRIGHT_METRICS_PORT: Port(PORT.metrics),
});

export interface Config {
  installation: string;
  prefix: string;
  namespace: string;
  logLevel: string;
  tokenKeyDir: string;
  tokenKeysDir: string;
  wrappingKeyFile: string;
  blobs:
    | { type: 'directory'; root: string }
    | {
        type: 's3';
        bucket: string;
        region: string;
        endpoint: string | undefined;
        forcePathStyle: boolean;
        prefix: string;
      };
  port: number;
  adminPort: number;
  metricsPort: number;
  /** Milliseconds between two saves of a login state that is in use. */
  saveEveryMs: number;
}

/** Reads the environment once. Throws one Error that names every problem. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const parsed = readEnvironment(Environment, env, ({ PODWRIGHT_BLOB_DIR: folder, PODWRIGHT_S3_BUCKET: named }) =>
    (folder === undefined) === (named === undefined) ? ['set one of PODWRIGHT_BLOB_DIR and PODWRIGHT_S3_BUCKET'] : [],
  );
  const { PODWRIGHT_BLOB_DIR: directory, PODWRIGHT_S3_BUCKET: bucket } = parsed;
  const config: Config = {
    installation: parsed.PODWRIGHT_INSTALLATION,
    prefix: parsed.PODWRIGHT_PREFIX,
    namespace: parsed.PODWRIGHT_NAMESPACE,
    logLevel: parsed.PODWRIGHT_LOG_LEVEL,
    tokenKeyDir: parsed.PODWRIGHT_TOKEN_KEY_DIR,
    tokenKeysDir: parsed.PODWRIGHT_TOKEN_KEYS_DIR,
    wrappingKeyFile: parsed.PODWRIGHT_WRAPPING_KEY_FILE,
    blobs:
      bucket === undefined
        ? { type: 'directory', root: directory ?? '' }
        : {
            type: 's3',
            bucket,
            region: parsed.PODWRIGHT_S3_REGION,
            endpoint: parsed.PODWRIGHT_S3_ENDPOINT,
            forcePathStyle: parsed.PODWRIGHT_S3_FORCE_PATH_STYLE,
            prefix: parsed.PODWRIGHT_S3_PREFIX,
          },
    port: parsed.PODWRIGHT_KEEPER_PORT,
    adminPort: parsed.PODWRIGHT_ADMIN_PORT,
    metricsPort: parsed.PODWRIGHT_METRICS_PORT,
    saveEveryMs: parsed.PODWRIGHT_PROFILE_SAVE_SECONDS * 1000,
  };
  return Object.freeze(config);
}
