import { hostname } from 'node:os';
import { HttpUrl, LogLevel, Port, listOf, readEnvironment } from '@podwright/api/environment';
import { PORT } from '@podwright/api/names';
import { Type } from 'typebox';

/** Environment of the operator. Comments state what a value does in operation. */
const Environment = Type.Object({
  /** Part of every token's audience; must be the same in all parts of an installation. */
  PODWRIGHT_INSTALLATION: Type.String({ minLength: 1, default: 'podwright' }),
  /** Helm fullname: prefix of ServiceAccounts, Secrets and Services. */
  PODWRIGHT_PREFIX: Type.String({ minLength: 1, default: 'podwright' }),
  /** Release namespace: where the lease is, and where gateway, agents and keeper run. */
  PODWRIGHT_NAMESPACE: Type.String({ minLength: 1, default: 'podwright-system' }),
  PODWRIGHT_POD_NAME: Type.String({ minLength: 1, default: hostname() }),
  PODWRIGHT_LOG_LEVEL: LogLevel,
  PODWRIGHT_TOKEN_KEY_DIR: Type.String({ default: '/etc/podwright/token-key' }),
  PODWRIGHT_TOKEN_KEYS_FILE: Type.String({ default: '/etc/podwright/token-keys/keys.json' }),
  PODWRIGHT_INTERNAL_TOKEN_FILE: Type.Optional(Type.String()),
  PODWRIGHT_KEEPER_URL: HttpUrl({ default: 'http://podwright-keeper:8082' }),
  /** Image of the supervisor container of every browser pod, unless its pool names another. */
  PODWRIGHT_SUPERVISOR_IMAGE: Type.String({ minLength: 1 }),
  /** Addresses of pods, services and nodes: closed to browsers although they may be public. */
  PODWRIGHT_CLUSTER_CIDRS: Type.String({ default: '' }),
  /** Whether sandbox mode Auto may put pods into user namespaces where the nodes report them. */
  PODWRIGHT_USER_NAMESPACES: Type.Boolean({ default: false }),
  /** Sessions that may be on their way to Ready at once, over all tenants: the fair share is a share of these. */
  PODWRIGHT_MAX_STARTING: Type.Integer({ minimum: 1, default: 64 }),
  /** Images that pools may name, comma separated; empty: any. */
  PODWRIGHT_BROWSER_IMAGES: Type.String({ default: '' }),
  /** Pools that may run without a sandbox, `<namespace>/<name>`, comma separated. */
  PODWRIGHT_UNSANDBOXED_POOLS: Type.String({ default: '' }),
  /** Priority class of browser pods; empty: the cluster's default. */
  PODWRIGHT_PRIORITY_CLASS: Type.String({ default: '' }),
  PODWRIGHT_IMAGE_PULL_SECRETS: Type.String({ default: '' }),
  PODWRIGHT_HTTP_PORT: Port(PORT.metrics),
  /** API server as pods see it; set by Kubernetes itself. */
  KUBERNETES_SERVICE_HOST: Type.Optional(Type.String()),
  KUBERNETES_SERVICE_PORT: Type.Optional(Type.String()),
});

export interface Config {
  installation: string;
  prefix: string;
  namespace: string;
  podName: string;
  logLevel: string;
  tokenKeyDir: string;
  tokenKeysFile: string;
  internalTokenFile: string | undefined;
  keeperUrl: string;
  supervisorImage: string;
  clusterCidrs: string[];
  userNamespaces: boolean;
  browserImages: string[];
  unsandboxedPools: string[];
  maxStarting: number;
  priorityClass: string | undefined;
  imagePullSecrets: string[];
  httpPort: number;
  /** `host:port` of the API server, for the isolation canary. */
  apiServer: string | undefined;
}

/** Reads the environment; throws one error that names every problem. */
export function readConfig(environment: NodeJS.ProcessEnv): Readonly<Config> {
  const values = readEnvironment(Environment, environment);
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = values;
  return Object.freeze({
    installation: values.PODWRIGHT_INSTALLATION,
    prefix: values.PODWRIGHT_PREFIX,
    namespace: values.PODWRIGHT_NAMESPACE,
    podName: values.PODWRIGHT_POD_NAME,
    logLevel: values.PODWRIGHT_LOG_LEVEL,
    tokenKeyDir: values.PODWRIGHT_TOKEN_KEY_DIR,
    tokenKeysFile: values.PODWRIGHT_TOKEN_KEYS_FILE,
    internalTokenFile: values.PODWRIGHT_INTERNAL_TOKEN_FILE,
    keeperUrl: values.PODWRIGHT_KEEPER_URL.replace(/\/+$/, ''),
    supervisorImage: values.PODWRIGHT_SUPERVISOR_IMAGE,
    clusterCidrs: listOf(values.PODWRIGHT_CLUSTER_CIDRS),
    userNamespaces: values.PODWRIGHT_USER_NAMESPACES,
    browserImages: listOf(values.PODWRIGHT_BROWSER_IMAGES),
    unsandboxedPools: listOf(values.PODWRIGHT_UNSANDBOXED_POOLS),
    maxStarting: values.PODWRIGHT_MAX_STARTING,
    priorityClass: values.PODWRIGHT_PRIORITY_CLASS || undefined,
    imagePullSecrets: listOf(values.PODWRIGHT_IMAGE_PULL_SECRETS),
    httpPort: values.PODWRIGHT_HTTP_PORT,
    apiServer: host === undefined ? undefined : `${host}:${port ?? '443'}`,
  });
}
