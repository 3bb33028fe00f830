import type { FastifyInstance } from 'fastify';
import { ApiError } from '@podwright/api/errors';

/** Everything of the hosted service's API that this installation does not have: a clear 404 instead of a bare one. */
export function registerNotOffered(app: FastifyInstance, prefixes: readonly string[]): void {
  const answer = async (): Promise<never> => {
    throw new ApiError('not_offered');
  };
  for (const prefix of prefixes) {
    app.all(prefix, answer);
    app.all(`${prefix}/*`, answer);
  }
}
