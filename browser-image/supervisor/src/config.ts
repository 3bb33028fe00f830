import { type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { LogLevel, Port, readEnvironment } from '@podwright/api/environment';
import { POD_DIR, PORT, SUPERVISOR_ENV } from '@podwright/api/names';
import { PodEgressFloor, PoolDefaults } from '@podwright/api/pod-door';
import { ISSUERS, type PublicKeySet } from '@podwright/api/tokens';

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
  PODWRIGHT_LOG_LEVEL: LogLevel,
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

const JSON_VARIABLES = {
  keys: { name: SUPERVISOR_ENV.tokenKeys, schema: Keys },
  floor: { name: SUPERVISOR_ENV.egressFloor, schema: PodEgressFloor },
  defaults: { name: SUPERVISOR_ENV.poolDefaults, schema: PoolDefaults },
} as const;

/** Reads the environment; throws one Error that names every problem. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Readonly<Config> {
  const json: Partial<Record<keyof typeof JSON_VARIABLES, unknown>> = {};
  const env = readEnvironment(Environment, environment, (values) =>
    Object.entries(JSON_VARIABLES).flatMap(([member, { name, schema }]) => {
      const { value, problems } = parseJson(values[name], name, schema);
      json[member as keyof typeof JSON_VARIABLES] = value;
      return problems;
    }),
  );
  return Object.freeze({
    installation: env[SUPERVISOR_ENV.installation],
    podUid: env[SUPERVISOR_ENV.podUid],
    keys: json.keys as PublicKeySet,
    floor: json.floor as PodEgressFloor,
    defaults: json.defaults as PoolDefaults,
    logLevel: env.PODWRIGHT_LOG_LEVEL,
    doorPort: env.PODWRIGHT_DOOR_PORT,
    chromiumPort: env.PODWRIGHT_CHROMIUM_PORT,
    egressPort: env.PODWRIGHT_EGRESS_PORT,
    launcherSocket: env.PODWRIGHT_LAUNCHER_SOCKET,
    vncSocket: env.PODWRIGHT_VNC_SOCKET,
    filesDir: env.PODWRIGHT_FILES_DIR,
  });
}

function parseJson(text: unknown, name: string, schema: TSchema): { value: unknown; problems: string[] } {
  if (typeof text !== 'string') return { value: undefined, problems: [] };
  try {
    const value: unknown = JSON.parse(text);
    const problems = Value.Errors(schema, value).map(
      ({ instancePath, message }) => `${name}${instancePath} ${message}`,
    );
    return { value, problems };
  } catch {
    return { value: undefined, problems: [`${name} is not JSON`] };
  }
}
