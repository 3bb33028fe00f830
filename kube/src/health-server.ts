import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A probe of Kubernetes gives up after a second or some; what takes longer is not ready. */
const READY_MS = 2_000;

/** Structural part of prom-client's registry. */
export interface MetricsRegistry {
  contentType: string;
  metrics(): Promise<string>;
}

/**
 * `/healthz`, `/readyz` and `/metrics` of a part. Probes of the API server stay out of it: a slow control plane must not
 * restart a part that works.
 */
export async function startHealthServer(options: {
  /** 0: any free one. */
  port: number;
  registry: MetricsRegistry;
  /** Null while the process can go on, else why only a new one helps. Absent: it can as long as it answers. */
  stuck?: () => string | null;
  /** Rejects, with words for whoever looks, while the process should get no requests. */
  ready: (signal: AbortSignal) => Promise<void>;
}): Promise<{ port: number; stop(): Promise<void> }> {
  const { registry } = options;
  const server = createServer((request, response) => {
    const answer = (status: number, body: string, type = 'text/plain; charset=utf-8'): void => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    };
    switch (request.url?.split('?')[0]) {
      case '/healthz': {
        const problem = options.stuck?.() ?? null;
        return answer(problem === null ? 200 : 503, `${problem ?? 'ok'}\n`);
      }
      case '/readyz':
        options.ready(AbortSignal.timeout(READY_MS)).then(
          () => answer(200, 'ok\n'),
          (error: unknown) => answer(503, `${error instanceof Error ? error.message : String(error)}\n`),
        );
        return undefined;
      case '/metrics':
        registry.metrics().then(
          (text) => answer(200, text, registry.contentType),
          () => answer(500, 'metrics cannot be collected\n'),
        );
        return undefined;
      default:
        return answer(404, 'not found\n');
    }
  });
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(options.port, resolve);
  await listening;
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
