import { type Server, createServer } from 'node:http';
import { once } from 'node:events';
import type { Registry } from 'prom-client';

/**
 * `/healthz` (the process lives), `/readyz` (its store answers, and it is not shutting down) and `/metrics`.
 * Probes of the API server stay out of it: a slow control plane must not restart the keeper.
 */
export async function startHealthServer(options: {
  port: number;
  registry: Registry;
  /** Rejects when the process should get no requests. */
  ready: (signal: AbortSignal) => Promise<void>;
}): Promise<Server> {
  const server = createServer((request, response) => {
    const answer = (status: number, body: string, type = 'text/plain; charset=utf-8'): void => {
      response.writeHead(status, { 'content-type': type }).end(body);
    };
    const path = request.url?.split('?')[0];
    if (path === '/healthz') answer(200, 'ok\n');
    else if (path === '/readyz') {
      options.ready(AbortSignal.timeout(2000)).then(
        () => answer(200, 'ok\n'),
        () => answer(503, 'the blob store does not answer, or the process is shutting down\n'),
      );
    } else if (path === '/metrics') {
      options.registry.metrics().then(
        (text) => answer(200, text, options.registry.contentType),
        () => answer(500, 'metrics cannot be collected\n'),
      );
    } else answer(404, 'not found\n');
  });
  server.listen(options.port);
  await once(server, 'listening');
  return server;
}
