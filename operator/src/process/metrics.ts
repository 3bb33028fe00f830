import { OPERATOR_METRICS } from '@podwright/api/metrics';
import type { BrowserSession } from '@podwright/api/kinds/session';
import type { PassFact, WorkQueue } from '@podwright/kube/work-queue';
import type { WriteFact } from '@podwright/kube/write-fact';
import { Registry, collectDefaultMetrics } from 'prom-client';
import type { Caches } from '../caches.ts';
import { conditionOf, isTrue } from '../sessions/draft.ts';
import type { OperatorStatus } from '../sessions/observation.ts';
import { createMetricFactory } from './metric-factory.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** The operator's metrics. Gauges of sessions and pools are told by the leader alone, so that a sum over replicas is true. */
export function createMetrics(options: { caches: Caches; isLeader: () => boolean; version: string }) {
  const { caches, isLeader } = options;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const { counter, gauge, histogram, collected } = createMetricFactory({ registry, declared: OPERATOR_METRICS });
  const queues = new Map<string, WorkQueue>();

  gauge('podwright_build_info').set({ part: 'operator', version: options.version }, 1);
  collected('podwright_leader', (set) => set({}, isLeader() ? 1 : 0));
  collected('podwright_watch_healthy', (set) => {
    for (const { kind, healthy } of caches.health()) set({ kind }, healthy ? 1 : 0);
  });
  collected('podwright_watch_restarts_total', (set) => {
    for (const { kind, restarts } of caches.health()) set({ kind }, restarts);
  });
  collected('podwright_watch_lists_total', (set) => {
    for (const { kind, lists } of caches.health()) set({ kind }, lists);
  });
  collected('podwright_sessions', (_set, add) => {
    if (!isLeader()) return;
    for (const { status } of caches.sessions.store.list())
      add({ tenant: status?.tenant ?? '', pool: status?.poolName ?? '', phase: status?.phase ?? 'Queued' }, 1);
  });
  collected('podwright_pool_warm_pods', (set) => {
    if (!isLeader()) return;
    for (const { metadata, status } of caches.pools.store.list()) {
      const labels = { namespace: metadata.namespace ?? '', pool: metadata.name };
      set({ ...labels, state: 'ready' }, status?.warm ?? 0);
      set({ ...labels, state: 'starting' }, status?.starting ?? 0);
      set({ ...labels, state: 'target' }, status?.target ?? 0);
    }
  });
  collected('podwright_queue_depth', (set) => {
    for (const [queue, { depth }] of queues) set({ queue }, depth);
  });
  collected('podwright_queue_oldest_seconds', (set) => {
    for (const [queue, work] of queues) set({ queue }, work.oldestAgeMs() / 1000);
  });

  const leakedNow = gauge('podwright_leaked_pods');
  const leakedEver = counter('podwright_leaked_pods_total');
  const clockHeld = gauge('podwright_clock_held_sessions');
  const claims = counter('podwright_claims_total');
  const ready = histogram('podwright_session_ready_seconds');
  const admissionWait = histogram('podwright_admission_wait_seconds');
  const evictions = counter('podwright_evictions_total');
  const warmRemoved = counter('podwright_warm_pods_removed_total');
  const passes = histogram('podwright_reconcile_seconds');
  const waits = histogram('podwright_queue_wait_seconds');
  const retries = counter('podwright_queue_retries_total');
  const writes = counter('podwright_api_writes_total');

  return {
    registry,
    swept: (found: number): void => {
      leakedNow.set(found);
      leakedEver.inc(found);
    },
    clockHeld,
    warmRemoved,
    /** Shows how long a queue is; the one of that name before it is forgotten. */
    queue: (name: string, queue: WorkQueue): void => void queues.set(name, queue),
    wrote: ({ verb, resource, code }: WriteFact): void => writes.inc({ verb, resource, code }),
    pass:
      (queue: string) =>
      ({ seconds, waitedSeconds, outcome }: PassFact): void => {
        passes.observe({ queue, outcome }, seconds);
        waits.observe({ queue }, waitedSeconds);
        if (outcome === 'failed') retries.inc({ queue });
      },
    /** Derives what happened from two statuses, as story.ts does for events. */
    written: (
      session: BrowserSession,
      before: OperatorStatus | undefined,
      after: OperatorStatus,
      seenAt: number,
    ): void => {
      if (isTrue(after, 'Admitted') && !isTrue(before, 'Admitted')) {
        const admittedAt = Date.parse(conditionOf(after, 'Admitted')!.lastTransitionTime);
        const waited = Math.max(0, admittedAt - Date.parse(session.metadata.creationTimestamp)) / 1000;
        admissionWait.observe({ tenant: after.tenant ?? '' }, waited);
      }
      if (after.podUID !== undefined && before?.podUID === undefined) {
        const { namespace = '' } = session.metadata;
        claims.inc({ namespace, pool: after.poolName ?? '', start: after.start ?? '' });
      }
      if (after.readyAt !== undefined && before?.readyAt === undefined) {
        const admittedAt = Date.parse(conditionOf(after, 'Admitted')?.lastTransitionTime ?? '');
        const from = Math.max(seenAt, isTrue(before, 'Admitted') ? admittedAt : seenAt);
        const labels = { pool: after.poolName ?? '', start: after.start ?? '' };
        ready.observe(labels, Math.max(0, Date.parse(after.readyAt) - from) / 1000);
      }
      if (after.stoppingAt !== undefined && before?.stoppingAt === undefined) {
        const reason = after.reason ?? 'Asked';
        if (!['Asked', 'TaskFinished', 'Deleted'].includes(reason)) evictions.inc({ reason });
      }
    },
  };
}
