import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** An agent as its own process, as in its pod. */
export interface AgentProcess {
  log(): string;
  /** Sends a signal and waits for the end; gives the exit code, null when it was killed. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

export async function startAgent(env: Record<string, string>): Promise<AgentProcess> {
  const entry = join(import.meta.dirname, '../main.ts');
  const child: ChildProcess = spawn(process.execPath, [entry], {
    env: { PATH: process.env['PATH'] ?? '', PODWRIGHT_METRICS_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const up = new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      text += chunk.toString();
      if (text.includes('agent is up')) resolve();
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.on('exit', () => reject(new Error(`the agent ended at once: ${text}`)));
  });
  await up;
  return {
    log: () => text,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
      return child.exitCode;
    },
  };
}
