import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Program, start, until } from './processes.ts';
import { localHttp } from '../browser/local-http.ts';

/** A user of no account, so that Chromium keeps its sandbox on when tests run as root. */
const NOBODY_UID = 64_321;

/** Debian's Chromium, headless, on a debugging port of its own, with a throw-away profile. */
export async function startChromium(options: { port: number; args?: readonly string[] }): Promise<Program> {
  const folder = mkdtempSync(join(tmpdir(), 'podwright-chromium-'));
  const asRoot = process.getuid?.() === 0;
  if (asRoot) chownSync(folder, NOBODY_UID, NOBODY_UID);
  const program = start(
    'chromium',
    [
      '--headless=new',
      `--remote-debugging-port=${options.port}`,
      `--user-data-dir=${folder}`,
      '--no-first-run',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      ...(options.args ?? []),
      'about:blank',
    ],
    {
      env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder },
      ...(asRoot ? { uid: NOBODY_UID, gid: NOBODY_UID } : {}),
    },
  );
  program.process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  await until(
    'Chromium',
    async () => {
      if (program.process.exitCode !== null) throw new Error(program.output());
      const { status } = await localHttp(
        { port: options.port },
        { method: 'GET', path: '/json/version', timeoutMs: 1000 },
      );
      return status === 200;
    },
    60_000,
  );
  return program;
}
