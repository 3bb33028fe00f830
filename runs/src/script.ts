import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** A Lua script that is sent once and then called by its hash. */
export type Script = (keys: string[], args: (string | number)[]) => Promise<unknown>;

export function createScript(redis: Redis, lua: string): Script {
  const sha = createHash('sha1').update(lua).digest('hex');
  return async (keys, args) => {
    try {
      return await redis.evalsha(sha, keys.length, ...keys, ...args);
    } catch (error) {
      // A restarted Redis has forgotten its scripts; EVAL sends the text again and caches it.
      if (error instanceof Error && error.message.startsWith('NOSCRIPT')) {
        return redis.eval(lua, keys.length, ...keys, ...args);
      }
      throw error;
    }
  };
}
