import { Value } from 'typebox/value';
import { LauncherFacts } from '@podwright/api/pod-launcher';
import { localHttp } from './local-http.ts';

/** The launcher of the browser container, over its Unix socket. */
export interface LauncherClient {
  facts(): Promise<LauncherFacts>;
  /** Sets the X screen; throws when it cannot be that size. */
  setScreen(size: { width: number; height: number }): Promise<void>;
  /** Of `targets` (`host:port`), those that a TCP connect from the browser container reached. */
  probe(targets: readonly string[]): Promise<string[]>;
  /** Ends Chromium gently, then the container. */
  readonly stop: () => Promise<void>;
}

const TIMEOUT_MS = 5000;

export function createLauncherClient(options: { socketPath: string }): LauncherClient {
  async function call(method: 'GET' | 'POST', path: string, body?: unknown, timeoutMs = TIMEOUT_MS): Promise<unknown> {
    const answer = await localHttp(options, { method, path, timeoutMs, ...(body === undefined ? {} : { body }) });
    if (answer.status >= 300) throw new Error(`the launcher answered ${answer.status} to ${path}`);
    return answer.body;
  }
  return {
    async facts() {
      return Value.Parse(LauncherFacts, await call('GET', '/facts'));
    },
    async setScreen({ width, height }) {
      await call('POST', '/screen', { width, height });
    },
    async probe(targets) {
      if (targets.length === 0) return [];
      // A second for each connect, should the launcher make them one after the other.
      const answer = await call('POST', '/probe', { targets }, TIMEOUT_MS + targets.length * 1000);
      const { reached } = (answer ?? {}) as { reached?: unknown };
      if (!Array.isArray(reached)) throw new Error('the launcher answered no list to /probe');
      return reached.filter((target): target is string => typeof target === 'string' && targets.includes(target));
    },
    async stop() {
      await call('POST', '/stop');
    },
  };
}
