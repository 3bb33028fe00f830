import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '@podwright/api/errors';
import type { Caller } from '../identity/caller.ts';
import { type CreateNames, MAX_KEY_LENGTH, createNames } from '../sessions/idempotency.ts';

/** Names for what a create makes, from its Idempotency-Key when it has one. */
export function namesFor(
  request: FastifyRequest,
  caller: Caller,
  kind: Parameters<typeof createNames>[0]['kind'],
): CreateNames {
  const header = request.headers['idempotency-key'];
  const idempotencyKey = Array.isArray(header) ? header[0] : header;
  if (idempotencyKey !== undefined && (idempotencyKey === '' || idempotencyKey.length > MAX_KEY_LENGTH)) {
    throw new ApiError('invalid_request', `Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} characters.`);
  }
  return createNames({ kind, tenant: caller.tenant, keyId: caller.key.id, idempotencyKey, body: request.body });
}

/** Aborts when the client goes away before it has its answer. */
export function untilGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableEnded) gone.abort(new ApiError('bad_request', 'The client went away.'));
  });
  return gone.signal;
}
