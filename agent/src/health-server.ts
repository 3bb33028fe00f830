import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { Registry } from 'prom-client';

/** `/healthz` (the process lives), `/readyz` (it takes runs) and `/metrics`. */
export async function startHealthServer(options: {
  port: number;
  registry: Registry;
  /** Null when ready, else why not. */
  notReady: () => string | null;
}): Promise<Server> {
  const server = createServer((request, response) => {
    const answer = (status: number, body: string, type = 'text/plain; charset=utf-8'): void => {
      response.writeHead(status, { 'content-type': type }).end(body);
    };
    const path = request.url?.split('?')[0];
    if (path === '/healthz') answer(200, 'ok\n');
    else if (path === '/readyz') {
      const problem = options.notReady();
      answer(problem === null ? 200 : 503, `${problem ?? 'ok'}\n`);
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
