import type { FastifyInstance } from 'fastify';
import type { KeeperClient } from '../keeper-client.ts';

/** Headers of the keeper's answer that a client gets; nothing else of it passes. */
const PASSED = [
  'content-type',
  'content-length',
  'content-disposition',
  'content-range',
  'accept-ranges',
  'etag',
  'last-modified',
];

/** `/files/presigned/<token>`: the keeper's public door. The token in the address is the permission. */
export function registerFiles(app: FastifyInstance, parts: { keeper: KeeperClient }): void {
  const { keeper } = parts;
  // Bytes of any type pass through unread.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));

  app.route<{ Params: { token: string } }>({
    method: ['GET', 'PUT'],
    url: '/files/presigned/:token',
    handler: async (request, reply) => {
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const { range, 'content-type': type, 'content-length': length } = request.headers;
      const answer = await keeper.fetchPresigned(request.params.token, {
        method: request.method === 'PUT' ? 'PUT' : 'GET',
        headers: Object.fromEntries(
          Object.entries({ range, 'content-type': type, 'content-length': length }).filter(
            (entry): entry is [string, string] => entry[1] !== undefined,
          ),
        ),
        body: request.method === 'PUT' ? request.raw : null,
        signal: gone.signal,
      });
      for (const name of PASSED) {
        const value = answer.headers[name];
        if (value !== undefined) reply.header(name, value);
      }
      // What a page made must not run as a page of ours.
      reply.headers({
        'content-security-policy': "sandbox; default-src 'none'",
        'x-content-type-options': 'nosniff',
        'cache-control': 'private, no-store',
        'referrer-policy': 'no-referrer',
      });
      return reply.status(answer.statusCode).send(answer.body);
    },
  });
}
