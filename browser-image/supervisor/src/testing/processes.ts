import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A program that a test started and ends again. */
export interface Program {
  process: ChildProcess;
  /** What it wrote to stdout and stderr. */
  output: () => string;
  /** Sends the signal and waits for its end. */
  end: (signal?: NodeJS.Signals) => Promise<number | null>;
}

export function start(command: string, args: readonly string[], options: SpawnOptions = {}): Program {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (text += String(chunk)));
  child.on('error', (error) => (text += `${command}: ${error.message}`));
  // A test that fails before it can clean up leaves nothing behind either.
  const endWithTest = (): boolean => child.kill('SIGKILL');
  process.once('exit', endWithTest);
  child.once('exit', () => process.off('exit', endWithTest));
  return {
    process: child,
    output: () => text,
    async end(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const exited = once(child, 'exit');
      child.kill(signal);
      const late = setTimeout(() => child.kill('SIGKILL'), 8000);
      await exited;
      clearTimeout(late);
      return child.exitCode;
    },
  };
}

/** A TCP port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Waits until `ask` gives something; throws with `what` after the deadline. */
export async function until<Found>(
  what: string,
  ask: () => Promise<Found | undefined | false> | Found | undefined | false,
  deadlineMs = 20_000,
): Promise<Found> {
  const end = Date.now() + deadlineMs;
  let failure: unknown;
  while (Date.now() < end) {
    try {
      const found = await ask();
      if (found !== undefined && found !== false) return found;
    } catch (error) {
      failure = error;
    }
    await delay(50);
  }
  throw new Error(`waited in vain for ${what}`, { cause: failure });
}
