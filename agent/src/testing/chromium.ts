import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A real Chromium of its own, for one test file. */
export interface TestChromium {
  /** WebSocket address of the browser-level CDP endpoint. */
  endpoint: string;
  close(): Promise<void>;
}

export async function startChromium(): Promise<TestChromium> {
  const directory = await mkdtemp(join(tmpdir(), 'podwright-chromium-'));
  const child = spawn(
    'chromium',
    [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      // Playwright does not notice a page that comes back from this cache; the browser image sets the same flag.
      '--disable-back-forward-cache',
      '--remote-debugging-port=0',
      `--user-data-dir=${directory}`,
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  );
  const endpoint = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.on('error', (error) =>
      reject(new Error('chromium does not start; install Debian package chromium', { cause: error })),
    );
    child.on('exit', (code) => reject(new Error(`chromium ended with ${code}: ${text.slice(-500)}`)));
    child.stderr.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const found = /DevTools listening on (ws:\S+)/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  return {
    endpoint,
    async close() {
      const gone = once(child, 'exit');
      // Chromium's children are in its process group.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      await gone;
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
