import type { BrowserSession } from '@podwright/api/kinds/session';
import type { PodStatus } from '@podwright/api/pod-door';
import { TERMINAL_RUN_STATES } from '@podwright/api/run';

/** A place that a waiting session could have if a parked browser gave way. */
export interface WantedPlace {
  namespace: string;
  /** `namespace/name` of the pool that is full; undefined: the tenant is. */
  pool: string | undefined;
  count: number;
}

/** Time for a run to come to a browser that has just got ready, and for its state to come into status. */
const SETTLING_MS = 30_000;
const RUN_OVER: ReadonlySet<string> = TERMINAL_RUN_STATES;

/**
 * Whether an object says that its browser is kept alive and nothing works in it. Who looks at it or is connected only its
 * pod knows: see `isUnused`.
 */
export function isParkedOnPaper(session: BrowserSession, now: number): boolean {
  const { status, spec, metadata } = session;
  if (status?.phase !== 'Ready' && status?.phase !== 'Idle') return false;
  if (spec.lifetime?.keepAlive !== true || spec.stop !== undefined || metadata.deletionTimestamp !== undefined)
    return false;
  if (status.run ? !RUN_OVER.has(status.run.state) : spec.task !== undefined) return false;
  return status.readyAt !== undefined && now - Date.parse(status.readyAt) >= SETTLING_MS;
}

/** No client, no visible viewer, and none just now. */
export const isUnused = ({ activity }: PodStatus): boolean =>
  activity.cdpClients === 0 && activity.viewers === 0 && activity.exclusiveHolder === null;

/** Browsers that may give way, the longest unused first. */
export function parkedFor(place: WantedPlace, sessions: readonly BrowserSession[], now: number): BrowserSession[] {
  const since = ({ status }: BrowserSession): string => status?.lastActiveAt ?? status?.readyAt ?? '';
  return sessions
    .filter((session) => isParkedOnPaper(session, now) && isIn(place, session))
    .toSorted((a, b) => since(a).localeCompare(since(b)) || a.metadata.uid.localeCompare(b.metadata.uid));
}

/** A place for each of those that wait because tenant or pool is full. */
export function placesWanted(waiting: readonly { namespace: string; pool: string; reason: string }[]): WantedPlace[] {
  const places = new Map<string, WantedPlace>();
  for (const { namespace, pool, reason } of waiting) {
    if (reason !== 'TenantFull' && reason !== 'PoolFull') continue;
    const key = reason === 'TenantFull' ? namespace : pool;
    const place = places.get(key) ?? { namespace, pool: reason === 'TenantFull' ? undefined : pool, count: 0 };
    places.set(key, { ...place, count: place.count + 1 });
  }
  return [...places.values()];
}

const isIn = (place: WantedPlace, { metadata, status }: BrowserSession): boolean =>
  place.pool === undefined || `${metadata.namespace}/${status?.poolName}` === place.pool;

/** How many have to give way: what is about to end makes room by itself and is not asked for twice. */
export function missingPlaces(place: WantedPlace, sessions: readonly BrowserSession[]): number {
  const ending = sessions.filter(
    (session) =>
      isIn(place, session) &&
      (session.spec.stop !== undefined ||
        session.status?.stoppingAt !== undefined ||
        session.metadata.deletionTimestamp !== undefined),
  );
  return Math.max(0, place.count - ending.length);
}
