import { REDIS } from '@podwright/api/names';
import type { Redis } from 'ioredis';

/**
 * Which runs of a tenant wait for dispatch and which are on their way. Only a hint for fairness and sweeping: the
 * record of each run is the truth, and the sweeper rebuilds these sets from it.
 */
export interface WaitingLine {
  add(tenant: string, runId: string, createdAtMs: number): Promise<void>;
  /** Oldest first. */
  waiting(tenant: string, limit: number): Promise<string[]>;
  moveToRunning(tenant: string, runId: string): Promise<void>;
  running(tenant: string): Promise<string[]>;
  remove(tenant: string, runId: string): Promise<void>;
}

export function createWaitingLine(redis: Redis): WaitingLine {
  return {
    async add(tenant, runId, createdAtMs) {
      await redis.zadd(REDIS.tenantWaiting(tenant), createdAtMs, runId);
    },
    waiting: (tenant, limit) => redis.zrange(REDIS.tenantWaiting(tenant), 0, String(limit - 1)),
    async moveToRunning(tenant, runId) {
      await redis.multi().zrem(REDIS.tenantWaiting(tenant), runId).sadd(REDIS.tenantRunning(tenant), runId).exec();
    },
    running: (tenant) => redis.smembers(REDIS.tenantRunning(tenant)),
    async remove(tenant, runId) {
      await redis.multi().zrem(REDIS.tenantWaiting(tenant), runId).srem(REDIS.tenantRunning(tenant), runId).exec();
    },
  };
}
