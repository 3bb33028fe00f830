import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';

/** A server started as a plain process, whose output goes to a file. */
export interface ServerProcess {
  readonly name: string;
  readonly pid: number;
  /** Resolves when it has ended, by itself or by us. */
  readonly ended: Promise<void>;
  /** Stops it where it is; its connections stand and carry nothing. */
  pause(): void;
  resume(): void;
  /** SIGTERM, and SIGKILL after `graceMs`; at once with `graceMs: 0`. */
  stop(graceMs?: number): Promise<void>;
  /** The last lines it wrote, for an error. */
  tail(): Promise<string>;
}

export function startServer(options: { program: string; flags: string[]; logFile: string }): ServerProcess {
  const name = basename(options.program);
  // The kernel ends it together with this process, however this process ends.
  const child: ChildProcess = spawn('setpriv', ['--pdeathsig', 'KILL', options.program, ...options.flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Away from the terminal's group: an interrupt is for us, and we end it in order.
    detached: true,
  });
  const log = createWriteStream(options.logFile, { flags: 'a' });
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  void ended.then(() => log.end());
  const signal = (which: NodeJS.Signals): void => {
    if (child.exitCode === null && child.signalCode === null) child.kill(which);
  };
  return {
    name,
    pid: child.pid ?? 0,
    ended,
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    async stop(graceMs = 1_000) {
      const timer = setTimeout(() => signal('SIGKILL'), graceMs);
      if (graceMs > 0) signal('SIGTERM');
      // A paused process would take the SIGTERM only after it is woken.
      signal('SIGCONT');
      await ended;
      clearTimeout(timer);
    },
    async tail() {
      const text = await readFile(options.logFile, 'utf8').catch(() => '');
      return text.trim().split('\n').slice(-15).join('\n');
    },
  };
}
