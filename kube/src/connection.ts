import { readFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { Agent, type Dispatcher } from 'undici';

/** How the API server is reached and who asks. */
export interface Connection {
  /** Origin without a trailing slash. */
  server: string;
  /** Namespace of the kubeconfig's context, or of the pod. */
  namespace: string;
  /** For short requests: HTTP/1.1 with keep-alive, so that one slow answer holds up no other. */
  requests: Dispatcher;
  /**
   * For watches: HTTP/2 where the server speaks it, with a PING every few seconds. A watch may be silent for a minute
   * while all is well; an unanswered PING is how a dead path shows at once.
   */
  watches: Dispatcher;
  /** Authentication headers; tokens on disk are read again when they rotate. */
  headers(): Promise<Record<string, string>>;
  /** The server did not believe them: reads them again. True when they are other ones now, and asking again makes sense. */
  renew(): Promise<boolean>;
  close(): Promise<void>;
}

/** How long headers are reused. Projected tokens live for an hour and are rotated at 80 % of it. */
const HEADER_LIFE_MS = 30_000;
export const WATCH_PING_MS = 3_000;

/** Connects with the pod's ServiceAccount when there is one, else with KUBECONFIG or the default file. */
export async function connect(options: { now: () => number; kubeconfig?: string }): Promise<Connection> {
  const config = new KubeConfig();
  if (options.kubeconfig !== undefined) config.loadFromFile(options.kubeconfig);
  else if (process.env['KUBECONFIG'] === undefined && process.env['KUBERNETES_SERVICE_HOST'] !== undefined)
    config.loadFromCluster();
  else config.loadFromDefault();
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new Error('the kubeconfig names no cluster');

  const first: RequestOptions = {};
  await config.applyToHTTPSOptions(first);
  const tls = Object.fromEntries(
    Object.entries({
      ca: first.ca,
      cert: first.cert,
      key: first.key,
      servername: first.servername,
      rejectUnauthorized: first.rejectUnauthorized,
    }).filter(([, value]) => value !== undefined),
  );
  const keepAlive = { keepAlive: true, keepAliveInitialDelay: 5_000 };
  let cached: { at: number; headers: Record<string, string> } | undefined;
  async function headers(): Promise<Record<string, string>> {
    const now = options.now();
    if (cached === undefined || now - cached.at > HEADER_LIFE_MS || now < cached.at)
      cached = { at: now, headers: await readHeaders(config) };
    return cached.headers;
  }
  const requests = new Agent({ allowH2: false, connections: 32, connect: { ...tls, ...keepAlive, timeout: 5_000 } });
  const watches = new Agent({
    allowH2: true,
    h2Options: { pingInterval: WATCH_PING_MS },
    connect: { ...tls, ...keepAlive, timeout: 5_000 },
  });
  return {
    server: cluster.server.replace(/\/+$/, ''),
    namespace: config.getContextObject(config.getCurrentContext())?.namespace ?? 'default',
    requests,
    watches,
    headers,
    async renew() {
      const before = JSON.stringify(cached?.headers);
      cached = undefined;
      return JSON.stringify(await headers()) !== before;
    },
    async close() {
      await Promise.all([requests.destroy(), watches.destroy()]);
    },
  };
}

async function readHeaders(config: KubeConfig): Promise<Record<string, string>> {
  // The library keeps what it read for a minute; a token that was taken back is bad at once.
  const tokenFile = (config.getCurrentUser()?.authProvider as { config?: { tokenFile?: string } } | undefined)?.config
    ?.tokenFile;
  if (tokenFile !== undefined) return { authorization: `Bearer ${(await readFile(tokenFile, 'utf8')).trim()}` };
  const fresh: RequestOptions = {};
  await config.applyToHTTPSOptions(fresh);
  const basic = typeof fresh.auth === 'string' ? `Basic ${Buffer.from(fresh.auth).toString('base64')}` : undefined;
  const headers = Object.entries({ ...(fresh.headers as Record<string, unknown> | undefined) }).map(
    ([name, value]) => [name.toLowerCase(), String(value)] as const,
  );
  return { ...(basic && { authorization: basic }), ...Object.fromEntries(headers) };
}
