import { execFile, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What a user types, as a function. Throws with what kubectl printed when it fails. */
export async function kubectl(...args: string[]): Promise<string> {
  try {
    const { stdout } = await run('kubectl', args, { maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new Error(`kubectl ${args.join(' ')}: ${stderr?.trim() ?? String(error)}`, { cause: error });
  }
}

/** Runs kubectl and returns what it printed on failure; throws when it succeeds. */
export async function kubectlFails(...args: string[]): Promise<string> {
  const printed = await kubectl(...args).then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
  if (printed === undefined) throw new Error(`kubectl ${args.join(' ')} succeeded and should not have`);
  return printed;
}

/** `kubectl apply -f -` (or `create`) with objects as JSON. */
export async function applyObjects(objects: object[], verb: 'apply' | 'create' = 'apply'): Promise<void> {
  const child = spawn('kubectl', [verb, '-f', '-'], { stdio: ['pipe', 'ignore', 'pipe'] });
  let problems = '';
  child.stderr.on('data', (chunk: Buffer) => (problems += chunk.toString()));
  child.stdin.end(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`kubectl ${verb}: ${problems.trim()}`);
}

/** An object as JSON; null when there is none. */
export async function getObject<T>(kind: string, name: string, namespace?: string): Promise<T | null> {
  const place = namespace === undefined ? [] : ['-n', namespace];
  const text = await kubectl('get', kind, name, ...place, '--ignore-not-found', '-o', 'json');
  return text.trim() === '' ? null : (JSON.parse(text) as T);
}

export async function listObjects<T>(kind: string, namespace: string, selector?: string): Promise<T[]> {
  const text = await kubectl(
    'get',
    kind,
    '-n',
    namespace,
    ...(selector === undefined ? [] : ['-l', selector]),
    '-o',
    'json',
  );
  return (JSON.parse(text) as { items: T[] }).items;
}

/**
 * Polls until `read` returns something that `accept` likes, and returns it.
 * The error of a timeout shows the last thing that was read, which is what one wants to know.
 */
export async function eventually<T>(
  what: string,
  read: () => Promise<T>,
  accept: (value: T) => boolean,
  timeoutMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  let last: unknown;
  while (Date.now() < deadline) {
    try {
      const value = await read();
      if (accept(value)) return value;
      last = value;
    } catch (error) {
      last = error;
    }
    await sleep(250);
  }
  const shown = last instanceof Error ? last.message : JSON.stringify(last, null, 1);
  throw new Error(`${what}: not within ${timeoutMs / 1000} s; last seen: ${shown?.slice(0, 4000)}`);
}
