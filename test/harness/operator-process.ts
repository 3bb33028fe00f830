import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import type { TokenKeys } from './token-keys.ts';

const root = resolve(import.meta.dirname, '../..');

/** The operator as it runs in a cluster: a process of its own, killed and stopped by signals. */
export interface OperatorProcess {
  readonly name: string;
  readonly pid: number;
  readonly metricsUrl: string;
  /** Resolves when it has taken the lease; rejects when it ends before. */
  readonly leading: Promise<void>;
  /** Resolves with its exit code; null: a signal ended it. */
  readonly exited: Promise<number | null>;
  readonly alive: boolean;
  /** Lets a process go on that was started with `hold`. */
  go(): void;
  signal(name: NodeJS.Signals): void;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Its log lines so far, newest last, at most the last thousand. */
  readonly log: readonly string[];
}

/** One file, as the image carries it: it starts in a third of the time of the sources. */
export async function bundleOperator(directory: string): Promise<string> {
  const outfile = join(directory, 'operator.mjs');
  await build({
    entryPoints: [join(root, 'operator/src/main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    sourcemap: 'linked',
    logLevel: 'error',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    absWorkingDir: root,
  });
  return outfile;
}

/** Environment of an operator that a test runs outside a cluster. */
export async function operatorEnvironment(options: {
  directory: string;
  kubeconfig: string;
  namespace: string;
  installation: string;
  keys: TokenKeys;
  keeperUrl: string;
}): Promise<Record<string, string>> {
  const internalToken = join(options.directory, 'internal-token');
  await writeFile(internalToken, 'simulated');
  return {
    KUBECONFIG: options.kubeconfig,
    PODWRIGHT_NAMESPACE: options.namespace,
    PODWRIGHT_INSTALLATION: options.installation,
    PODWRIGHT_TOKEN_KEY_DIR: options.keys.directoryOf('operator'),
    PODWRIGHT_TOKEN_KEYS_FILE: options.keys.publicKeysFile,
    PODWRIGHT_INTERNAL_TOKEN_FILE: internalToken,
    PODWRIGHT_KEEPER_URL: options.keeperUrl,
    PODWRIGHT_SUPERVISOR_IMAGE: 'simulated-supervisor:1',
    NODE_OPTIONS: '',
  };
}

export async function startOperator(options: {
  bundle: string;
  name: string;
  environment: Record<string, string>;
  /** Before the script: `--cpu-prof` … */
  nodeArguments?: string[];
  /** Start, and wait before the first line of the operator until `go`: a spare whose start costs nobody time. */
  hold?: boolean;
  /** File with milliseconds by which its clock is wrong; read again at every SIGUSR2. */
  clockFile?: string;
}): Promise<OperatorProcess> {
  const port = await freePort();
  // The kernel ends it together with this process, however this process ends.
  const preload = ['--import', join(import.meta.dirname, 'operator-preload.ts')];
  const node = [process.execPath, ...preload, ...(options.nodeArguments ?? []), options.bundle];
  const child: ChildProcess = spawn('setpriv', ['--pdeathsig', 'KILL', ...node], {
    env: {
      PATH: process.env['PATH'],
      ...options.environment,
      PODWRIGHT_POD_NAME: options.name,
      PODWRIGHT_HTTP_PORT: String(port),
      ...(options.hold && { TEST_HOLD: 'true' }),
      ...(options.clockFile !== undefined && { TEST_CLOCK_FILE: options.clockFile }),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const log: string[] = [];
  const leading = Promise.withResolvers<void>();
  leading.promise.catch(() => {});
  const exited = Promise.withResolvers<number | null>();
  let alive = true;
  const note = (line: string): void => {
    log.push(line);
    if (log.length > 1_000) log.shift();
    if (line.includes('"lease taken"')) leading.resolve();
  };
  for (const stream of [child.stdout!, child.stderr!]) createInterface({ input: stream }).on('line', note);
  child.on('error', (error) => exited.resolve((note(error.message), 1)));
  child.on('close', (code) => {
    alive = false;
    leading.reject(new Error(`operator ${options.name} ended (${code}):\n${log.slice(-20).join('\n')}`));
    exited.resolve(code);
  });
  return {
    name: options.name,
    pid: child.pid!,
    metricsUrl: `http://127.0.0.1:${port}/metrics`,
    leading: leading.promise,
    exited: exited.promise,
    get alive() {
      return alive;
    },
    go: () => void child.stdin!.end('go\n'),
    signal: (name) => void child.kill(name),
    async kill() {
      child.kill('SIGKILL');
      await exited.promise;
    },
    log,
  };
}

/** Below the range from which the kernel serves clients: a spare that waits must not lose its port to a connection. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const server = createServer();
    const free = await new Promise<boolean>((done) => {
      server.once('error', () => done(false));
      server.listen(port, () => done(true));
    });
    if (!free) continue;
    await new Promise((done) => {
      server.close(done);
    });
    return port;
  }
}
