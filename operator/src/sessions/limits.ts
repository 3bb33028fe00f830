import { formatDuration, parseDuration } from '@podwright/api/duration';
import { type BrowserPool, POOL_DEFAULTS } from '@podwright/api/kinds/pool';
import type { BrowserSession } from '@podwright/api/kinds/session';
import { type BrowserTenant, TENANT_DEFAULTS } from '@podwright/api/kinds/tenant';
import type { BindRequest } from '@podwright/api/pod-door';

type EgressClass = BindRequest['egress']['egress'];
const WIDTH: Record<EgressClass, number> = { None: 0, Allowlist: 1, Public: 2 };

/** Milliseconds a session may last from its start: what it asks for, under the ceilings of pool and tenant. */
export function maxDurationMs(session: BrowserSession, pool: BrowserPool, tenant: BrowserTenant | undefined): number {
  const asked = session.spec.lifetime?.maxDuration ?? pool.spec.lifetime?.maxDuration ?? POOL_DEFAULTS.maxDuration;
  const ceilings = [
    pool.spec.lifetime?.maxDurationCeiling ?? POOL_DEFAULTS.maxDurationCeiling,
    tenant?.spec.limits?.maxDuration ?? TENANT_DEFAULTS.maxDuration,
  ];
  return Math.min(parseDuration(asked), ...ceilings.map(parseDuration));
}

/** Which ceiling cuts the duration that a session asks for, in words; undefined when it gets what it asks for. */
export function durationCut(
  session: BrowserSession,
  pool: BrowserPool,
  tenant: BrowserTenant | undefined,
): string | undefined {
  const asked = session.spec.lifetime?.maxDuration;
  const given = maxDurationMs(session, pool, tenant);
  if (asked === undefined || parseDuration(asked) <= given) return undefined;
  const ofPool = parseDuration(pool.spec.lifetime?.maxDurationCeiling ?? POOL_DEFAULTS.maxDurationCeiling) === given;
  const ceiling = ofPool ? 'lifetime.maxDurationCeiling of the pool' : 'limits.maxDuration of the tenant';
  return `maxDuration ${asked} is cut to ${formatDuration(given)}, ${ceiling}`;
}

export const startTimeoutMs = (pool: BrowserPool | undefined): number =>
  parseDuration(pool?.spec.lifetime?.startTimeout ?? POOL_DEFAULTS.startTimeout);

/** How long a session may go on after its node was cordoned. */
export const drainTimeoutMs = (pool: BrowserPool | undefined): number =>
  parseDuration(pool?.spec.lifetime?.drainTimeout ?? POOL_DEFAULTS.drainTimeout);

/** What the browser may reach: the pool's class and hosts, narrowed by the session. */
export function egressOf(session: BrowserSession, pool: BrowserPool): BindRequest['egress'] {
  const floor = pool.spec.network?.egress ?? POOL_DEFAULTS.egress;
  const egress = session.spec.network?.egress ?? floor;
  const allowedHosts = session.spec.network?.allowedHosts ?? pool.spec.network?.allowedHosts ?? [];
  return { egress, allowedHosts: egress === 'Allowlist' ? allowedHosts : [] };
}

export const isWider = (asked: EgressClass, floor: EgressClass): boolean => WIDTH[asked] > WIDTH[floor];

/** Value of the egress label that NetworkPolicies match. */
export const egressLabel = (egress: EgressClass): string => egress.toLowerCase();

/** Seconds after its start at which the kubelet ends a pod whatever happened to us: well after our own deadline. */
export function podDeadlineSeconds(maximumMs: number, podAgeMs: number): number {
  const MARGIN_MS = 600_000;
  return Math.max(60, Math.ceil((Math.max(0, podAgeMs) + maximumMs + MARGIN_MS) / 1000));
}
