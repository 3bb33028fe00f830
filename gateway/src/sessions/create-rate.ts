import { ApiError } from '@podwright/api/errors';
import { TENANT_DEFAULTS } from '@podwright/api/kinds/tenant';
import { REDIS } from '@podwright/api/names';
import type { Redis } from 'ioredis';
import type { Caller } from '../identity/caller.ts';

/** Creates per minute of a tenant, in fixed windows. Without Redis nothing is created: a limit that cannot be kept is none. */
export interface CreateRate {
  /** Counts one create; throws 429 when the tenant has used its minute up. */
  take(caller: Caller): Promise<{ limit: number; remaining: number }>;
}

export function createCreateRate(options: { redis: Redis; now: () => number }): CreateRate {
  const { redis, now } = options;
  return {
    async take(caller) {
      const limit = caller.tenantObject.spec.limits?.createsPerMinute ?? TENANT_DEFAULTS.createsPerMinute;
      const minute = Math.floor(now() / 60_000);
      const key = REDIS.rate(caller.tenant, minute);
      const results = await redis.multi().incr(key).expire(key, 120).exec();
      const used = Number(results?.[0]?.[1] ?? 0);
      if (used > limit) {
        const retryAfter = Math.max(1, Math.ceil(((minute + 1) * 60_000 - now()) / 1000));
        throw new ApiError('too_many_requests', `This tenant may create ${limit} sessions a minute.`, { retryAfter });
      }
      return { limit, remaining: limit - used };
    },
  };
}
