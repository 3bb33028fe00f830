import { localHttp } from './local-http.ts';

/** Chromium's discovery over HTTP, on the pod's loopback. */
export interface ChromiumHttp {
  /** `/json/version`, `/json/list` or `/json/new?<url>`; throws when Chromium does not answer with JSON in time. */
  ask(path: string, method?: 'GET' | 'PUT'): Promise<unknown>;
  /** Path of the browser endpoint, `/devtools/browser/<id>`; asked once per life of Chromium. */
  browserPath(): Promise<string>;
  /** Forgets the path: Chromium is another one now. */
  forget(): void;
}

export function createChromiumHttp(options: { port: number; timeoutMs: number }): ChromiumHttp {
  const { port, timeoutMs } = options;
  let path: Promise<string> | undefined;

  async function ask(route: string, method: 'GET' | 'PUT' = 'GET'): Promise<unknown> {
    const { status, body } = await localHttp({ port }, { method, path: route, timeoutMs });
    if (status !== 200 || body === null) throw new Error(`Chromium answered ${status} to ${route.split('?', 1)[0]}`);
    return body;
  }

  async function readPath(): Promise<string> {
    const version = (await ask('/json/version')) as { webSocketDebuggerUrl?: unknown };
    if (typeof version.webSocketDebuggerUrl !== 'string') throw new Error('Chromium names no browser endpoint');
    return new URL(version.webSocketDebuggerUrl).pathname;
  }

  return {
    ask,
    async browserPath() {
      path ??= readPath();
      try {
        return await path;
      } catch (error) {
        path = undefined;
        throw error;
      }
    },
    forget() {
      path = undefined;
    },
  };
}
