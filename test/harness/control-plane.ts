import { rm } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, connect } from '@podwright/kube/connection';
import { type ControlPlaneFiles, makeFiles, writeKubeconfig } from './control-plane/files.ts';
import { type ControlPlanePrograms, controlPlanePrograms } from './control-plane/programs.ts';
import { freePorts } from './control-plane/free-ports.ts';
import { type ServerProcess, startServer } from './control-plane/server-process.ts';

/**
 * A real etcd and API server as plain processes on free ports of loopback: everything that the API promises, and no node.
 * Ready in a few seconds; ended and removed by `stop`, and also when the test's process is killed.
 */
export interface ControlPlane {
  /** Origin of the API server. */
  url: string;
  /** Connection of an administrator. */
  connection: Connection;
  /** The administrator's, readable by kubectl. */
  kubeconfigPath: string;
  /** Temporary directory; whatever else a test puts there goes with it. */
  directory: string;
  /** One JSON object per line, level Metadata, of every request but the control plane's own. */
  auditLogPath: string;
  /** Folder of `apiserver.crt` and `apiserver.key`, for a proxy that stands in for the server. */
  certificates: string;
  /** Forgets every revision but the present one: what was read before can no longer be watched or paged from. */
  compactEtcd(): Promise<void>;
  /** Flags are those of the start; resolves when it answers /readyz. */
  startApiServer(): Promise<void>;
  /** SIGTERM, then SIGKILL after `graceMs` (1 s unless given; 0: at once). */
  stopApiServer(options?: { graceMs?: number }): Promise<void>;
  restartApiServer(options?: { graceMs?: number }): Promise<void>;
  /** It takes connections and answers nothing. */
  pauseApiServer(): void;
  resumeApiServer(): void;
  /** A kubeconfig in `directory` whose user is given as in a kubeconfig, at another address if need be. */
  kubeconfig(name: string, user: Record<string, unknown>, url?: string): Promise<string>;
  stop(): Promise<void>;
}

export interface ControlPlaneOptions {
  /** Also starts kube-controller-manager: garbage collection, namespaces, service accounts, quotas. */
  controllerManager?: boolean;
  /** Added to the API server's; a flag given here replaces ours of the same name. */
  apiServerFlags?: string[];
  /** Ends everything. */
  signal?: AbortSignal;
}

const READY_WITHIN_MS = 60_000;
/** Controllers that act on what a test creates; those of nodes and workloads have nothing to do here. */
const CONTROLLERS = [
  'garbage-collector-controller',
  'namespace-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'resourcequota-controller',
];

export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const programs = await controlPlanePrograms(options.signal);
  const files = await makeFiles();
  const [etcdPort, port] = (await freePorts(2)) as [number, number];
  const url = `https://127.0.0.1:${port}`;
  const kubeconfigPath = await writeKubeconfig(files.at('kubeconfig'), {
    url,
    files,
    user: { token: files.tokens.admin },
  });
  const running: ServerProcess[] = [];
  const start = (program: string, flags: string[]): ServerProcess => {
    const server = startServer({ program, flags, logFile: files.at(`${program.split('/').at(-1)}.log`) });
    running.push(server);
    return server;
  };
  let connection: Connection | undefined;
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= (async () => {
      options.signal?.removeEventListener('abort', abort);
      await connection?.close();
      // Nothing of theirs is kept, so nobody has to say goodbye.
      await Promise.all(running.map((server) => server.stop(0)));
      await rm(files.directory, { recursive: true, force: true });
    })();
    return stopped;
  };
  const abort = (): void => void stop();
  options.signal?.addEventListener('abort', abort, { once: true });

  let apiServer: ServerProcess | undefined;
  const startApiServer = async (): Promise<void> => {
    apiServer = start(join(programs.kubernetes, 'kube-apiserver'), apiServerFlags({ files, port, etcdPort, options }));
    await untilReady(apiServer, port, files);
  };
  const stopApiServer = async ({ graceMs }: { graceMs?: number } = {}): Promise<void> => {
    await apiServer?.stop(graceMs);
    running.splice(0, running.length, ...running.filter((server) => server !== apiServer));
  };

  try {
    start(join(programs.etcd, 'etcd'), etcdFlags(files, etcdPort));
    await startApiServer();
    if (options.controllerManager) await startControllerManager(programs, files, url, start);
    connection = await connect({ now: Date.now, kubeconfig: kubeconfigPath });
    options.signal?.throwIfAborted();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    connection,
    kubeconfigPath,
    directory: files.directory,
    auditLogPath: files.auditLog,
    certificates: files.certificates,
    compactEtcd: () => compact(`http://127.0.0.1:${etcdPort}`),
    startApiServer,
    stopApiServer,
    async restartApiServer(how) {
      await stopApiServer(how);
      await startApiServer();
    },
    pauseApiServer: () => apiServer?.pause(),
    resumeApiServer: () => apiServer?.resume(),
    kubeconfig: (name, user, address = url) => writeKubeconfig(files.at(name), { url: address, files, user }),
    stop,
  };
}

const etcdFlags = (files: ControlPlaneFiles, port: number): string[] => [
  `--data-dir=${files.at('etcd')}`,
  `--listen-client-urls=http://127.0.0.1:${port}`,
  `--advertise-client-urls=http://127.0.0.1:${port}`,
  '--listen-peer-urls=http://127.0.0.1:0',
  '--unsafe-no-fsync',
  '--log-level=warn',
];

function apiServerFlags(given: {
  files: ControlPlaneFiles;
  port: number;
  etcdPort: number;
  options: ControlPlaneOptions;
}): string[] {
  const { files, options } = given;
  const own = [
    `--etcd-servers=http://127.0.0.1:${given.etcdPort}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--secure-port=${given.port}`,
    `--cert-dir=${files.certificates}`,
    `--token-auth-file=${files.tokensFile}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-signing-key-file=${files.serviceAccountPrivateKey}`,
    `--service-account-key-file=${files.serviceAccountPublicKey}`,
    `--audit-policy-file=${files.auditPolicy}`,
    `--audit-log-path=${files.auditLog}`,
    '--profiling=false',
    // Without its controller no namespace ever gets the account that pods would need.
    ...(options.controllerManager ? [] : ['--disable-admission-plugins=ServiceAccount']),
  ];
  const nameOf = (flag: string): string => flag.split('=')[0]!;
  const theirs = new Set(options.apiServerFlags?.map(nameOf));
  return [...own.filter((flag) => !theirs.has(nameOf(flag))), ...(options.apiServerFlags ?? [])];
}

async function startControllerManager(
  programs: ControlPlanePrograms,
  files: ControlPlaneFiles,
  url: string,
  start: (program: string, flags: string[]) => ServerProcess,
): Promise<void> {
  const user = { token: files.tokens.controllerManager };
  const kubeconfig = await writeKubeconfig(files.at('controllers.kubeconfig'), { url, files, user });
  start(join(programs.kubernetes, 'kube-controller-manager'), [
    `--kubeconfig=${kubeconfig}`,
    `--service-account-private-key-file=${files.serviceAccountPrivateKey}`,
    `--controllers=${CONTROLLERS.join(',')}`,
    '--leader-elect=false',
    '--secure-port=0',
  ]);
}

/** Through etcd's own JSON gateway. */
async function compact(etcd: string): Promise<void> {
  const call = async (path: string, body: object): Promise<{ header?: { revision?: string } }> => {
    const response = await fetch(`${etcd}/v3/kv/${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`etcd ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { header?: { revision?: string } };
  };
  const { header } = await call('range', { key: Buffer.from('none').toString('base64') });
  await call('compaction', { revision: header?.revision, physical: true });
}

/** Rejects when the server ends before it is ready, with the end of its log. */
async function untilReady(server: ServerProcess, port: number, files: ControlPlaneFiles): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  const ended = server.ended.then(() => 'ended' as const);
  while (Date.now() < deadline) {
    const outcome = await Promise.race([ended, isReady(port, files.tokens.admin)]);
    if (outcome === true) return;
    if (outcome === 'ended') throw new Error(`${server.name} ended at once:\n${await server.tail()}`);
    await sleep(50);
  }
  throw new Error(`${server.name} is not ready after ${READY_WITHIN_MS / 1000} s:\n${await server.tail()}`);
}

function isReady(port: number, token: string): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}` };
    // Its certificate is made while we ask.
    const options = { host: '127.0.0.1', port, path: '/readyz', headers, rejectUnauthorized: false, agent: false };
    const asked = request({ ...options, timeout: 2_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false));
    asked.end();
  });
}
