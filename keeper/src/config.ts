import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { PORT } from '@podwright/api/names';

/** A variable that is set to nothing counts as absent: that is how a chart leaves it out. */
const Environment = Type.Object({
  PODWRIGHT_INSTALLATION: Type.String({ default: 'podwright' }),
  PODWRIGHT_PREFIX: Type.String({ default: 'podwright' }),
  PODWRIGHT_NAMESPACE: Type.String({ minLength: 1, description: 'namespace of the release' }),
  PODWRIGHT_LOG_LEVEL: Type.String({ default: 'info', pattern: '^(trace|debug|info|warn|error|fatal)$' }),
  PODWRIGHT_TOKEN_KEY_DIR: Type.String({ default: '/etc/podwright/token-key' }),
  PODWRIGHT_WRAPPING_KEY_FILE: Type.String({ default: '/etc/podwright/wrapping-key/wrapping.key' }),
  PODWRIGHT_BLOB_DIR: Type.Optional(Type.String({ pattern: '^/' })),
  PODWRIGHT_S3_BUCKET: Type.Optional(Type.String({ minLength: 3 })),
  PODWRIGHT_S3_REGION: Type.String({ default: 'us-east-1' }),
  PODWRIGHT_S3_ENDPOINT: Type.Optional(Type.String({ pattern: '^https?://' })),
  PODWRIGHT_S3_FORCE_PATH_STYLE: Type.String({ default: 'false', pattern: '^(true|false)$' }),
  PODWRIGHT_S3_PREFIX: Type.String({ default: '', pattern: '^(|.+/)$' }),
  PODWRIGHT_KEEPER_PORT: Type.String({ default: String(PORT.keeper), pattern: '^[0-9]+$' }),
  PODWRIGHT_METRICS_PORT: Type.String({ default: String(PORT.metrics), pattern: '^[0-9]+$' }),
});
type Environment = Static<typeof Environment>;

export interface Config {
  installation: string;
  prefix: string;
  namespace: string;
  logLevel: string;
  tokenKeyDir: string;
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
  metricsPort: number;
}

/** Reads the environment once. Throws one Error that names every problem. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(
    Object.keys(Environment.properties)
      .map((name) => [name, env[name]])
      .filter(([, value]) => value !== undefined && value !== ''),
  );
  const values = Value.Default(Environment, given);
  const problems = Value.Errors(Environment, values).map(
    ({ instancePath, message }) => `${instancePath.slice(1) || 'environment'}: ${message}`,
  );
  const parsed = values as Environment;
  const { PODWRIGHT_BLOB_DIR: directory, PODWRIGHT_S3_BUCKET: bucket } = parsed;
  if ((directory === undefined) === (bucket === undefined)) {
    problems.push('set one of PODWRIGHT_BLOB_DIR and PODWRIGHT_S3_BUCKET');
  }
  if (problems.length > 0) throw new Error(`the environment is not usable:\n  ${problems.join('\n  ')}`);
  const config: Config = {
    installation: parsed.PODWRIGHT_INSTALLATION,
    prefix: parsed.PODWRIGHT_PREFIX,
    namespace: parsed.PODWRIGHT_NAMESPACE,
    logLevel: parsed.PODWRIGHT_LOG_LEVEL,
    tokenKeyDir: parsed.PODWRIGHT_TOKEN_KEY_DIR,
    wrappingKeyFile: parsed.PODWRIGHT_WRAPPING_KEY_FILE,
    blobs:
      bucket === undefined
        ? { type: 'directory', root: directory ?? '' }
        : {
            type: 's3',
            bucket,
            region: parsed.PODWRIGHT_S3_REGION,
            endpoint: parsed.PODWRIGHT_S3_ENDPOINT,
            forcePathStyle: parsed.PODWRIGHT_S3_FORCE_PATH_STYLE === 'true',
            prefix: parsed.PODWRIGHT_S3_PREFIX,
          },
    port: Number(parsed.PODWRIGHT_KEEPER_PORT),
    metricsPort: Number(parsed.PODWRIGHT_METRICS_PORT),
  };
  return Object.freeze(config);
}
