import { ApiError } from '@podwright/api/errors';
import { REDIS } from '@podwright/api/names';
import type { Redis } from 'ioredis';
import type { CreateNames } from './idempotency.ts';

/** How long a key of a create that makes no Kubernetes object is remembered. */
const LIFE_SECONDS = 24 * 3600;

/** For creates without an object of their own: the same Idempotency-Key with another request is a conflict. */
export interface RepeatGuard {
  /** Throws `idempotency_conflict`. */
  check(tenant: string, names: CreateNames): Promise<void>;
}

export function createRepeatGuard(options: { redis: Redis }): RepeatGuard {
  return {
    async check(tenant, names) {
      if (!names.repeatable) return;
      const key = REDIS.idempotency(tenant, names.objectName);
      await options.redis.set(key, names.requestHash, 'EX', LIFE_SECONDS, 'NX');
      if ((await options.redis.get(key)) !== names.requestHash) throw new ApiError('idempotency_conflict');
    },
  };
}
