import type { BrowserPool } from '@podwright/api/kinds/pool';
import { POOL_DEFAULTS } from '@podwright/api/kinds/pool';
import type { BrowserSession } from '@podwright/api/kinds/session';
import { type MicroUsd, parseUsd } from '@podwright/api/money';

const HOUR_MS = 3_600_000;

/** Micro-USD that one browser of a pool costs in an hour. */
export const pricePerHour = (pool: BrowserPool | undefined): MicroUsd =>
  parseUsd(pool?.spec.price?.usdPerHour ?? POOL_DEFAULTS.usdPerHour);

/**
 * What the browser of a session has cost: from the assignment of its pod to the instant its stop was latched, or to
 * `until` (milliseconds since the epoch) when that comes first. Whole micro-USD, never less than before for a later `until`.
 */
export function browserCost(session: BrowserSession, perHour: MicroUsd, until: number): MicroUsd {
  const { startedAt, stoppingAt, endedAt } = session.status ?? {};
  if (startedAt === undefined) return 0;
  const end = Math.min(until, ...[stoppingAt, endedAt].flatMap((at) => (at === undefined ? [] : [Date.parse(at)])));
  const milliseconds = Math.max(0, end - Date.parse(startedAt));
  return Math.floor((milliseconds * perHour) / HOUR_MS);
}
