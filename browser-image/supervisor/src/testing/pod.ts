import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { WebSocket } from 'ws';
import { SUPERVISOR_ENV } from '@podwright/api/names';
import type { BindRequest, PodEgressFloor, PodStatus, PoolDefaults } from '@podwright/api/pod-door';
import type { PodTokenClaims, Scope } from '@podwright/api/tokens';
import { startChromium } from './chromium.ts';
import { type TestLauncher, startLauncher } from './launcher.ts';
import { type Program, freePort, start, until } from './processes.ts';
import { INSTALLATION, ISSUER_OF, createTestTokens } from './tokens.ts';

/** A pod without Kubernetes: a real supervisor process, a real Chromium, real tokens; only the launcher is stood in for. */
export interface TestPod {
  podUid: string;
  sessionUid: string;
  port: number;
  launcher: TestLauncher;
  supervisor: Program;
  chromium: Program;
  filesDir: string;
  token(scope: Scope, more?: Partial<PodTokenClaims>): Promise<string>;
  /** A request with a fresh token of the scope. */
  call(method: string, path: string, scope: Scope, body?: unknown): Promise<Response>;
  bind(request?: Partial<BindRequest>): Promise<Response>;
  status(): Promise<PodStatus>;
  /** A WebSocket with a fresh token, before it is open. */
  socket(path: string, scope: Scope, more?: Partial<PodTokenClaims>): Promise<WebSocket>;
  /** `ws://` address and headers, as a client of CDP is given them. */
  cdp(): Promise<{ url: string; headers: Record<string, string> }>;
  end(): Promise<void>;
}

const MAIN = resolve(import.meta.dirname, '../main.ts');

export async function startPod(
  options: {
    floor?: Partial<PodEgressFloor>;
    defaults?: Partial<PoolDefaults>;
    vncSocket?: string;
    chromiumArgs?: readonly string[];
    /** The bundle to run instead of the source. */
    main?: string;
  } = {},
): Promise<TestPod> {
  const folder = mkdtempSync(join(tmpdir(), 'podwright-pod-'));
  const filesDir = join(folder, 'session');
  mkdirSync(filesDir);
  const [port, chromiumPort, egressPort] = await Promise.all([freePort(), freePort(), freePort()]);
  const podUid = crypto.randomUUID();
  const sessionUid = crypto.randomUUID();
  const tokens = await createTestTokens();
  const chromium = await startChromium({
    port: chromiumPort,
    args: [
      `--proxy-server=http://127.0.0.1:${egressPort}`,
      '--proxy-bypass-list=<-loopback>',
      ...(options.chromiumArgs ?? []),
    ],
  });
  const socketPath = join(folder, 'launcher.sock');
  const launcher = await startLauncher({
    socketPath,
    chromiumPid: chromium.process.pid ?? 0,
    onStop: () => void chromium.end(),
  });
  const floor: PodEgressFloor = {
    egress: 'Public',
    allowedHosts: [],
    allowInternal: [],
    clusterCidrs: [],
    ...options.floor,
  };
  const defaults: PoolDefaults = {
    pool: 'default',
    maxScreen: { width: 1920, height: 1080 },
    sandboxMode: 'Auto',
    canaries: ['10.0.0.1:443'],
    ...options.defaults,
  };
  const supervisor = start(process.execPath, [options.main ?? MAIN], {
    env: {
      ...process.env,
      [SUPERVISOR_ENV.installation]: INSTALLATION,
      [SUPERVISOR_ENV.podUid]: podUid,
      [SUPERVISOR_ENV.tokenKeys]: JSON.stringify(tokens.publicKeys),
      [SUPERVISOR_ENV.egressFloor]: JSON.stringify(floor),
      [SUPERVISOR_ENV.poolDefaults]: JSON.stringify(defaults),
      PODWRIGHT_DOOR_PORT: String(port),
      PODWRIGHT_CHROMIUM_PORT: String(chromiumPort),
      PODWRIGHT_EGRESS_PORT: String(egressPort),
      PODWRIGHT_LAUNCHER_SOCKET: socketPath,
      PODWRIGHT_VNC_SOCKET: options.vncSocket ?? join(folder, 'vnc.sock'),
      PODWRIGHT_FILES_DIR: filesDir,
    },
  });

  const door = `127.0.0.1:${port}`;
  let bound = false;
  const token = async (scope: Scope, more: Partial<PodTokenClaims> = {}): Promise<string> => {
    const subject = bound || scope === 'bind' ? sessionUid : podUid;
    return tokens.token(more.issuer ?? ISSUER_OF[scope], podUid, { scope, subject, ...more });
  };
  const call: TestPod['call'] = async (method, path, scope, body) =>
    fetch(`http://${door}${path}`, {
      method,
      headers: { authorization: `Bearer ${await token(scope)}` },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });

  const pod: TestPod = {
    podUid,
    sessionUid,
    port,
    launcher,
    supervisor,
    chromium,
    filesDir,
    token,
    call,
    async bind(request = {}) {
      const body: BindRequest = {
        sessionUid,
        sessionName: 'test',
        egress: { egress: 'Public', allowedHosts: [] },
        ...request,
      };
      const answer = await call('POST', '/bind', 'bind', body);
      bound ||= answer.status === 200;
      return answer;
    },
    status: async () => (await call('GET', '/status', 'status')).json() as Promise<PodStatus>,
    async socket(path, scope, more) {
      const authorization = `Bearer ${await token(scope, more)}`;
      return new WebSocket(`ws://${door}${path}`, { headers: { authorization } });
    },
    cdp: async () => ({ url: `ws://${door}/cdp`, headers: { authorization: `Bearer ${await token('cdp')}` } }),
    async end() {
      await supervisor.end('SIGKILL');
      await chromium.end();
      launcher.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await until(
    'the pod to be ready',
    async () => {
      if (supervisor.process.exitCode !== null) throw new Error(supervisor.output());
      return (await fetch(`http://${door}/readyz`)).status === 200;
    },
    60_000,
  ).catch(async (error: unknown) => {
    const output = supervisor.output();
    await pod.end();
    throw new Error(`the pod did not get ready: ${output}`, { cause: error });
  });
  return pod;
}
