import { parseDuration } from '@podwright/api/duration';
import type { BrowserPool } from '@podwright/api/kinds/pool';
import { POOL_DEFAULTS } from '@podwright/api/kinds/pool';
import type { BrowserSession } from '@podwright/api/kinds/session';
import { readyPodOf } from '../sessions/session-state.ts';

/** Milliseconds a session may be unused; 0: for ever. */
export function idleTimeoutOf(session: BrowserSession, pool: BrowserPool | undefined): number {
  return parseDuration(
    session.spec.lifetime?.idleTimeout ?? pool?.spec.lifetime?.idleTimeout ?? POOL_DEFAULTS.idleTimeout,
  );
}

/**
 * When the pod is to be asked whether it is idle (milliseconds since the epoch); null: never, or not while its state is
 * what it is. `lastActiveAt` is the latest activity that is known, which may be long before the latest there was.
 */
export function askAt(
  session: BrowserSession,
  pool: BrowserPool | undefined,
  lastActiveAt: number | null,
): number | null {
  const timeout = idleTimeoutOf(session, pool);
  if (timeout === 0 || readyPodOf(session) === null) return null;
  const { readyAt, lastActiveAt: written } = session.status ?? {};
  const known = [lastActiveAt, at(readyAt), at(written)].filter((time): time is number => time !== null);
  // Nothing is known of it: nothing is done to it.
  return known.length === 0 ? null : Math.max(...known) + timeout;
}

const at = (time: string | undefined): number | null => (time === undefined ? null : Date.parse(time));
