import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ReflectorHealth } from '@podwright/kube/reflector';
import type { Registry } from 'prom-client';

/** Longer than every deadline of a reflector: its silence, its pauses, a page of a list. */
const STUCK_MS = 150_000;

/**
 * Kinds whose watch does nothing any more: it neither waits for the API server within its own deadlines nor tries again,
 * so only a new process helps. An API server that refuses, errs or is away makes nothing stuck, whatever it does and for
 * however long: then `podwright_watch_healthy` says so, and starting this process again would help nobody.
 */
export function stuckKinds(health: readonly ReflectorHealth[]): string[] {
  return health.filter(({ sinceStepMs }) => sinceStepMs > STUCK_MS).map(({ kind }) => kind);
}

/** `/healthz`, `/readyz` and `/metrics`. */
export async function startHealthServer(options: {
  port: number;
  registry: Registry;
  health: () => ReflectorHealth[];
}): Promise<{ port: number; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    const answer = (status: number, body: string, type = 'text/plain; charset=utf-8'): void => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    };
    const path = request.url?.split('?')[0];
    if (path === '/healthz') {
      const stuck = stuckKinds(options.health());
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
