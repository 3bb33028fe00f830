import { createHash } from 'node:crypto';
import { ApiError } from '@podwright/api/errors';
import { REDIS } from '@podwright/api/names';
import type { Redis } from 'ioredis';
import type { GatewaySecret } from './secret.ts';

/** What a link opens. `view` and `control` are viewers, `cdp` is the debugging endpoint. */
export type LinkKind = 'cdp' | 'view' | 'control';

/** Session that a link belongs to. */
export interface LinkSession {
  uid: string;
  name: string;
  namespace: string;
  tenant: string;
}

export interface LinkRecord extends LinkSession {
  kind: LinkKind;
}

/** What is known of a session's links in one read. */
export interface SessionLinks {
  /** Opaque texts by kind; the same on every poll and replica until they are revoked. */
  tokens: Record<LinkKind, string>;
  /** When the API stopped the session; its doors are shut from then on. */
  stoppedAt: string | null;
}

/**
 * Links: session-lived, reusable, revocable addresses. Only their hashes are stored; the text is derived from a secret,
 * the session and a generation, so that every replica gives out the same one and a new generation ends the old.
 */
export interface Links {
  /** The links of a session, made when they do not exist. */
  of(session: LinkSession): Promise<SessionLinks>;
  /** Throws `unauthorized` for a text that never was a link, `gone` for one that was revoked or whose session ended. */
  resolve(token: string): Promise<LinkRecord & { hash: string }>;
  /** Whether a link that was resolved before still stands. */
  stands(hash: string): Promise<boolean>;
  /** Ends the present links and makes new ones. Tells every replica which ones ended. */
  revoke(uid: string): Promise<void>;
  /** Ends the links for good. */
  stop(uid: string, at: string): Promise<void>;
}

export const LINK_KINDS = ['cdp', 'view', 'control'] as const;

/** Channel on which replicas tell each other hashes of links that ended, as a JSON array. */
export const REVOKED_CHANNEL = 'podwright:links-revoked';

/** Records outlive any session; a session's end removes them sooner. */
const LIFE_SECONDS = 30 * 24 * 3600;

/** What stands in the place of a record that ended, so that whoever comes late learns why. */
const ENDED = 'ended';
const ENDED_SECONDS = 24 * 3600;

/** Fields of a session's record that are hashes of links that were given out. */
const HASH = /^[0-9a-f]{64}$/;

export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

export function createLinks(options: { redis: Redis; secret: GatewaySecret }): Links {
  const { redis, secret } = options;
  const tokensOf = (uid: string, generation: string): Record<LinkKind, string> => ({
    cdp: secret.mac('link', `cdp ${uid} ${generation}`),
    view: secret.mac('link', `view ${uid} ${generation}`),
    control: secret.mac('link', `control ${uid} ${generation}`),
  });

  /** Ends everything that was given out, also what was derived from a signing key that has been replaced since. */
  const endAll = async (uid: string): Promise<void> => {
    const key = REDIS.sessionLinks(uid);
    const hashes = Object.keys(await redis.hgetall(key)).filter((name) => HASH.test(name));
    if (hashes.length === 0) return;
    for (const hash of hashes) await redis.set(REDIS.link(hash), ENDED, 'EX', ENDED_SECONDS);
    await redis.hdel(key, ...hashes);
    await redis.publish(REVOKED_CHANNEL, JSON.stringify(hashes));
  };

  return {
    async of(session) {
      const key = REDIS.sessionLinks(session.uid);
      const known = await redis.hgetall(key);
      const generation = known['generation'] ?? '1';
      const tokens = tokensOf(session.uid, generation);
      const stoppedAt = known['stoppedAt'] ?? null;
      const missing = LINK_KINDS.filter((kind) => known[hashOf(tokens[kind])] === undefined);
      if (missing.length > 0 && stoppedAt === null) {
        const record = { uid: session.uid, name: session.name, namespace: session.namespace, tenant: session.tenant };
        const given = Object.fromEntries(missing.map((kind) => [hashOf(tokens[kind]), kind]));
        // Sent together: a create waits for one round trip.
        await Promise.all([
          ...missing.map((kind) => {
            const text = JSON.stringify({ ...record, kind } satisfies LinkRecord);
            return redis.set(REDIS.link(hashOf(tokens[kind])), text, 'EX', LIFE_SECONDS);
          }),
          redis.hset(key, { generation, ...given }),
          redis.expire(key, LIFE_SECONDS),
        ]);
      }
      return { tokens, stoppedAt };
    },
    async resolve(token) {
      const hash = hashOf(token);
      const text = await redis.get(REDIS.link(hash));
      if (text === null) throw new ApiError('unauthorized', 'This address is not valid.');
      if (text === ENDED) throw new ApiError('gone');
      return { ...(JSON.parse(text) as LinkRecord), hash };
    },
    async stands(hash) {
      const text = await redis.get(REDIS.link(hash));
      return text !== null && text !== ENDED;
    },
    async revoke(uid) {
      await endAll(uid);
      await redis.hincrby(REDIS.sessionLinks(uid), 'generation', 1);
    },
    async stop(uid, at) {
      await endAll(uid);
      await redis.hsetnx(REDIS.sessionLinks(uid), 'stoppedAt', at);
      await redis.expire(REDIS.sessionLinks(uid), LIFE_SECONDS);
    },
  };
}
