import { REDIS } from '@podwright/api/names';
import type { RunKey } from '@podwright/runs/attempts';
import { createScript } from '@podwright/runs/script';
import type { Redis } from 'ioredis';

/**
 * Moves a run from `waiting` to `queued`, once: of several replicas one wins, and an agent that has begun is not undone.
 * KEYS run · ARGV now (ISO, JSON) · Returns 1 for the winner.
 */
const MARK = `
if redis.call('HGET', KEYS[1], 'state') ~= '"waiting"' then return 0 end
redis.call('HSET', KEYS[1], 'state', '"queued"', 'updatedAt', ARGV[1])
return 1
`;

export type MarkQueued = (key: RunKey) => Promise<boolean>;

export function createMarkQueued(options: { redis: Redis; now: () => number }): MarkQueued {
  const mark = createScript(options.redis, MARK);
  return async ({ conversationId, runId }) => {
    const stamp = JSON.stringify(new Date(options.now()).toISOString());
    return (await mark([REDIS.run(conversationId, runId)], [stamp])) === 1;
  };
}
