import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const module = join(import.meta.dirname, '../../testing/versitygw');

export interface S3Server {
  endpoint: string;
  bucket: string;
  accessKey: string;
  secretKey: string;
  stop(): Promise<void>;
}

/**
 * A real S3 server (versitygw over a directory) on a free port of loopback, built from its Go module into the cache.
 * A machine that cannot build it fails the test: S3 is not tested against a stand-in.
 */
export async function startS3Server(): Promise<S3Server> {
  const program = await buildProgram();
  const root = await mkdtemp(join(tmpdir(), 'podwright-s3-'));
  const bucket = 'blobs';
  await mkdir(join(root, bucket));
  const port = await freePort();
  const credentials = { accessKey: 'test', secretKey: 'test-secret-key' };
  const server = spawn(program, ['--port', `127.0.0.1:${port}`, 'posix', root], {
    stdio: 'ignore',
    env: { ROOT_ACCESS_KEY: credentials.accessKey, ROOT_SECRET_KEY: credentials.secretKey, HOME: root },
  });
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    await answers(endpoint, server);
  } catch (error) {
    await stop(server, root);
    throw error;
  }
  return { endpoint, bucket, ...credentials, stop: () => stop(server, root) };
}

async function buildProgram(): Promise<string> {
  const cache = process.env['PODWRIGHT_CACHE'] ?? join(homedir(), '.cache', 'podwright');
  const program = join(cache, 'bin', 'versitygw');
  const env = {
    ...process.env,
    CGO_ENABLED: '0',
    GOMODCACHE: join(cache, 'go/mod'),
    GOCACHE: join(cache, 'go/build'),
    GOTOOLCHAIN: 'local',
    PATH: `${join(cache, 'bin')}:${process.env['PATH']}`,
  };
  // Seconds when nothing has changed: Go knows.
  const target = 'github.com/versity/versitygw/cmd/versitygw';
  await run('go', ['build', '-modcacherw', '-trimpath', '-ldflags', '-s -w', '-o', program, target], {
    cwd: module,
    env,
  });
  return program;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done));
  const { port } = probe.address() as { port: number };
  await new Promise((done) => probe.close(done));
  return port;
}

async function answers(endpoint: string, server: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    if (server.exitCode !== null) throw new Error(`versitygw ended with ${server.exitCode}`);
    const answer = await fetch(endpoint, { signal: AbortSignal.timeout(1000) }).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer) return;
    await sleep(100);
  }
  throw new Error(`versitygw does not answer at ${endpoint}`);
}

async function stop(server: ChildProcess, root: string): Promise<void> {
  if (server.exitCode === null) {
    const ended = new Promise((done) => server.once('close', done));
    server.kill();
    await ended;
  }
  await rm(root, { recursive: true, force: true });
}
