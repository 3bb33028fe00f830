import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { POD_DIR, PORT, SUPERVISOR_ENV } from '@podwright/api/names';
import { PodEgressFloor, PoolDefaults } from '@podwright/api/pod-door';
import { ISSUERS, type PublicKeySet } from '@podwright/api/tokens';

const Port = (value: number) => Type.Integer({ minimum: 0, maximum: 65_535, default: value });
const Keys = Type.Object(
  Object.fromEntries(
    ISSUERS.map((issuer) => [issuer, Type.Array(Type.Object({ kid: Type.String(), pem: Type.String() }))]),
  ),
);

/** The environment of the supervisor. Ports and folders are fixed in a pod; tests run several supervisors on one machine. */
const Environment = Type.Object({
  [SUPERVISOR_ENV.installation]: Type.String({ minLength: 1 }),
  [SUPERVISOR_ENV.podUid]: Type.String({ minLength: 1 }),
  [SUPERVISOR_ENV.tokenKeys]: Type.String({ minLength: 2 }),
  [SUPERVISOR_ENV.egressFloor]: Type.String({ minLength: 2 }),
  [SUPERVISOR_ENV.poolDefaults]: Type.String({ minLength: 2 }),
  PODWRIGHT_LOG_LEVEL: Type.String({ default: 'info' }),
  PODWRIGHT_DOOR_PORT: Port(PORT.podDoor),
  PODWRIGHT_CHROMIUM_PORT: Port(PORT.chromiumDebugging),
  PODWRIGHT_EGRESS_PORT: Port(PORT.egressProxy),
  PODWRIGHT_LAUNCHER_SOCKET: Type.String({ default: POD_DIR.launcherSocket }),
  PODWRIGHT_VNC_SOCKET: Type.String({ default: POD_DIR.vncSocket }),
  PODWRIGHT_FILES_DIR: Type.String({ default: POD_DIR.files }),
});

export interface Config {
  installation: string;
  podUid: string;
  keys: PublicKeySet;
  floor: PodEgressFloor;
  defaults: PoolDefaults;
  logLevel: string;
  doorPort: number;
  chromiumPort: number;
  egressPort: number;
  launcherSocket: string;
  vncSocket: string;
  filesDir: string;
}

/** Reads the environment; throws one Error that names every problem. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Readonly<Config> {
  const problems: string[] = [];
  const given = Object.fromEntries(Object.entries(environment).filter(([name]) => name in Environment.properties));
  const values = Value.Convert(Environment, Value.Default(Environment, given));
  for (const error of Value.Errors(Environment, values)) {
    problems.push(`${error.instancePath.slice(1) || 'environment'}: ${error.message}`);
  }
  const env = values as Static<typeof Environment>;
  const keys = readJson(env, SUPERVISOR_ENV.tokenKeys, Keys, problems);
  const floor = readJson(env, SUPERVISOR_ENV.egressFloor, PodEgressFloor, problems);
  const defaults = readJson(env, SUPERVISOR_ENV.poolDefaults, PoolDefaults, problems);
  if (problems.length > 0) throw new Error(`the environment is not usable:\n  ${problems.join('\n  ')}`);
  return Object.freeze({
    installation: env[SUPERVISOR_ENV.installation],
    podUid: env[SUPERVISOR_ENV.podUid],
    keys: keys as PublicKeySet,
    floor: floor as PodEgressFloor,
    defaults: defaults as PoolDefaults,
    logLevel: env.PODWRIGHT_LOG_LEVEL,
    doorPort: env.PODWRIGHT_DOOR_PORT,
    chromiumPort: env.PODWRIGHT_CHROMIUM_PORT,
    egressPort: env.PODWRIGHT_EGRESS_PORT,
    launcherSocket: env.PODWRIGHT_LAUNCHER_SOCKET,
    vncSocket: env.PODWRIGHT_VNC_SOCKET,
    filesDir: env.PODWRIGHT_FILES_DIR,
  });
}

function readJson(env: Readonly<Record<string, unknown>>, name: string, schema: TSchema, problems: string[]): unknown {
  const text = env[name];
  if (typeof text !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    for (const error of Value.Errors(schema, value)) problems.push(`${name}${error.instancePath}: ${error.message}`);
    return value;
  } catch {
    problems.push(`${name}: not JSON`);
    return undefined;
  }
}
