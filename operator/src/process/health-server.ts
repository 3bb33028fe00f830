import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ReflectorHealth } from '@podwright/kube/reflector';
import type { Registry } from 'prom-client';

/** A watch that has heard nothing for this long, bookmarks included, is stuck. */
const STUCK_MS = 150_000;
const LIVELY_MS = 75_000;

/**
 * Kinds whose watch is stuck although the API server answers others. When all are silent it is the server that is gone:
 * starting this process again would help nobody.
 */
export function stuckKinds(health: readonly ReflectorHealth[], now: number): string[] {
  if (!health.some(({ lastContactAt }) => now - lastContactAt < LIVELY_MS)) return [];
  return health.filter(({ lastContactAt }) => now - lastContactAt > STUCK_MS).map(({ kind }) => kind);
}

/** `/healthz`, `/readyz` and `/metrics`. */
export async function startHealthServer(options: {
  port: number;
  registry: Registry;
  health: () => ReflectorHealth[];
  now: () => number;
}): Promise<{ port: number; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    const answer = (status: number, body: string, type = 'text/plain; charset=utf-8'): void => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    };
    const path = request.url?.split('?')[0];
    if (path === '/healthz') {
      const stuck = stuckKinds(options.health(), options.now());
      answer(stuck.length === 0 ? 200 : 503, stuck.length === 0 ? 'ok' : `stuck watches: ${stuck.join(', ')}`);
    } else if (path === '/readyz') {
      const missing = options.health().filter(({ synced }) => !synced);
      answer(
        missing.length === 0 ? 200 : 503,
        missing.length === 0 ? 'ok' : `not listed yet: ${missing.map(({ kind }) => kind).join(', ')}`,
      );
    } else if (path === '/metrics') {
      options.registry.metrics().then(
        (text) => answer(200, text, options.registry.contentType),
        () => answer(500, 'metrics failed'),
      );
    } else answer(404, 'not found');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
