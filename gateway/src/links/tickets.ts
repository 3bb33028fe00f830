import { randomBytes } from 'node:crypto';
import { ApiError } from '@podwright/api/errors';
import { REDIS } from '@podwright/api/names';
import type { ViewerMode } from '@podwright/api/v3/viewer';
import type { Redis } from 'ioredis';
import { type LinkSession, hashOf } from './links.ts';

/** What a ticket opens. */
export interface Ticket extends LinkSession {
  mode: ViewerMode;
  /** Link of the session with the same right: its end is the end of the ticket and of what was traded for it. */
  linkHash?: string;
}

/** Tickets: viewer addresses that work once, within a minute. */
export interface Tickets {
  issue(session: LinkSession, mode: ViewerMode, linkHash?: string): Promise<{ token: string; expiresAt: string }>;
  /** Throws `ticket_used`, or `gone` when it ran out or never was. */
  use(token: string): Promise<Ticket>;
}

export const TICKET_PREFIX = 't_';
const LIFE_SECONDS = 60;
/** How long a used ticket is remembered as used. */
const USED_SECONDS = 3600;

export function createTickets(options: { redis: Redis; now: () => number }): Tickets {
  const { redis, now } = options;
  return {
    async issue(session, mode, linkHash) {
      const token = TICKET_PREFIX + randomBytes(32).toString('base64url');
      const { uid, name, namespace, tenant } = session;
      const record = JSON.stringify({ uid, name, namespace, tenant, mode, linkHash });
      await redis.set(REDIS.ticket(hashOf(token)), record, 'EX', LIFE_SECONDS);
      return { token, expiresAt: new Date(now() + LIFE_SECONDS * 1000).toISOString() };
    },
    async use(token) {
      const before = await redis.set(REDIS.ticket(hashOf(token)), 'used', 'EX', USED_SECONDS, 'XX', 'GET');
      if (before === null) throw new ApiError('gone');
      if (before === 'used') throw new ApiError('ticket_used');
      return JSON.parse(before) as Ticket;
    },
  };
}
