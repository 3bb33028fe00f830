import { spawn } from 'node:child_process';

export interface RunOptions {
  /** Text for standard input. */
  input?: string;
  /** Called with every line of standard error as it comes; without it the lines are kept for the error. */
  onLine?: (line: string) => void;
  env?: Record<string, string>;
}

export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly printed: string;
  constructor(command: string, code: number | null, printed: string) {
    super(`${command} ended with ${code ?? 'a signal'}${printed === '' ? '' : `:\n${printed}`}`);
    this.printed = printed;
  }
}

/** Runs a command in the repository's root; resolves with its standard output, rejects with what it printed as its last words. */
export async function run(command: string, args: string[], options: RunOptions = {}): Promise<string> {
  const child = spawn(command, args, {
    cwd: ROOT,
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
  });
  let output = '';
  let rest = '';
  const lines: string[] = [];
  const take = (line: string): void => {
    lines.push(line);
    if (lines.length > 60) lines.shift();
    options.onLine?.(line);
  };
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    parts.forEach(take);
  });
  child.stdin?.end(options.input);
  const code = await new Promise<number | null>((done, fail) => {
    child.on('error', fail);
    child.on('close', done);
  });
  if (rest !== '') take(rest);
  // What was shown as it came is not shown again.
  const printed = options.onLine ? '' : [output.trim(), ...lines].filter((line) => line !== '').join('\n');
  if (code !== 0) throw new CommandError([command, ...args].join(' '), code, printed);
  return output;
}

export const ROOT = new URL('../../', import.meta.url).pathname;

/** `kubectl` with JSON out. */
export async function kubectlJson<T>(...args: string[]): Promise<T> {
  return JSON.parse(await run('kubectl', [...args, '-o', 'json'])) as T;
}

/** `kubectl apply --server-side` of objects. */
export async function applyObjects(...items: object[]): Promise<void> {
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await run('kubectl', ['apply', '--server-side', '--force-conflicts', '--field-manager=podwright-up', '-f', '-'], {
    input,
  });
}
