import type { FastifyInstance } from 'fastify';

/** Routes of this scope get their body as the stream it arrives in, whatever its type, and put their own limit on it. */
export function acceptStreams(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
}
