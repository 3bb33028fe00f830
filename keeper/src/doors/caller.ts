import { createHash } from 'node:crypto';
import { ApiError } from '@podwright/api/errors';
import { serviceAccountName } from '@podwright/api/names';

export type Caller = 'operator' | 'gateway' | 'agent';
const CALLERS: readonly Caller[] = ['operator', 'gateway', 'agent'];

/** Asks the API server whose ServiceAccount token this is; null when it is nobody's. */
export type TokenReviewer = (
  token: string,
  signal: AbortSignal,
) => Promise<{ namespace: string; serviceAccount: string } | null>;

/** A verdict is used again this long, so that a busy caller does not become a busy API server. */
const REMEMBER_MS = 30_000;
const REMEMBERED = 200;

/** Tells which part of the installation calls. Throws ApiError `unauthorized`, or `unavailable` when nobody can tell. */
export function createCallerCheck(options: {
  review: TokenReviewer;
  namespace: string;
  prefix: string;
  now: () => number;
}): (authorization: string | undefined, signal: AbortSignal) => Promise<Caller> {
  const accounts = new Map(CALLERS.map((caller) => [serviceAccountName(options.prefix, caller), caller]));
  const remembered = new Map<string, { caller: Caller; until: number }>();

  return async (authorization, signal) => {
    const token = /^Bearer (\S{1,8192})$/.exec(authorization ?? '')?.[1];
    if (token === undefined) throw new ApiError('unauthorized', 'A ServiceAccount token is needed.');
    const hash = createHash('sha256').update(token).digest('base64');
    const known = remembered.get(hash);
    if (known && known.until > options.now()) return known.caller;

    const owner = await options.review(token, signal).catch((error: unknown) => {
      throw new ApiError('unavailable', 'The API server does not answer.', { cause: error, retryAfter: 1 });
    });
    const caller = owner?.namespace === options.namespace ? accounts.get(owner.serviceAccount) : undefined;
    if (!caller) throw new ApiError('unauthorized', 'The token belongs to no part of this installation.');
    if (remembered.size >= REMEMBERED) remembered.clear();
    remembered.set(hash, { caller, until: options.now() + REMEMBER_MS });
    return caller;
  };
}
