import type { FastifyInstance } from 'fastify';
import { ApiError } from '@podwright/api/errors';
import { PodTokenRequest, PodTokenResponse } from '@podwright/api/internal-doors';
import type { Registry } from 'prom-client';
import type { PodTokens } from './pod-tokens.ts';
import type { PartDoor } from './part-door.ts';

/** The door for other parts of the installation and for whoever watches it. */
export function registerInternal(
  app: FastifyInstance,
  parts: {
    door: PartDoor;
    tokens: PodTokens;
    registry: Registry;
    /** Why this replica is not ready; null: it is. */
    notReady: () => string | null;
    notAlive: () => string | null;
  },
): void {
  registerHealth(app, parts);
  app.get('/metrics', async (_request, reply) =>
    reply.header('content-type', parts.registry.contentType).send(await parts.registry.metrics()),
  );
  app.post<{ Body: PodTokenRequest }>(
    '/internal/pod-tokens',
    { schema: { body: PodTokenRequest, response: { 200: PodTokenResponse } } },
    async (request) => {
      const part = await parts.door.identify(request.headers.authorization);
      if (part !== 'agent') throw new ApiError('forbidden');
      return parts.tokens.issue(request.body);
    },
  );
}

/** `/healthz`: the process works. `/readyz`: send requests here. */
export function registerHealth(
  app: FastifyInstance,
  parts: { notReady: () => string | null; notAlive: () => string | null },
): void {
  for (const [path, why] of [
    ['/healthz', parts.notAlive],
    ['/readyz', parts.notReady],
  ] as const) {
    app.get(path, async (_request, reply) => {
      const reason = why();
      return reply.status(reason === null ? 200 : 503).send({ ok: reason === null, reason });
    });
  }
}
