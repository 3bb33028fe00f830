import type { BrowserSession } from '@podwright/api/kinds/session';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { Caches } from '../caches.ts';
import { conditionOf, isTrue } from '../sessions/draft.ts';
import type { OperatorStatus } from '../sessions/observation.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** The operator's metrics. Gauges of sessions and pools are told by the leader alone, so that a sum over replicas is true. */
export function createMetrics(options: { caches: Caches; isLeader: () => boolean; version: string }) {
  const { caches, isLeader } = options;
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const build = new Gauge({
    name: 'podwright_build_info',
    help: 'Version of this part; always 1.',
    labelNames: ['part', 'version'],
    registers,
  });
  build.set({ part: 'operator', version: options.version }, 1);
  registry.registerMetric(
    new Gauge({
      name: 'podwright_leader',
      help: '1 while this replica leads.',
      registers: [],
      collect() {
        this.set(isLeader() ? 1 : 0);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'podwright_watch_healthy',
      help: '1 while the watch of a kind is up.',
      labelNames: ['kind'],
      registers: [],
      collect() {
        for (const { kind, healthy } of caches.health()) this.set({ kind }, healthy ? 1 : 0);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'podwright_sessions',
      help: 'Sessions by tenant, pool and phase.',
      labelNames: ['tenant', 'pool', 'phase'],
      registers: [],
      collect() {
        this.reset();
        if (!isLeader()) return;
        for (const { status } of caches.sessions.store.list()) {
          this.inc({ tenant: status?.tenant ?? '', pool: status?.poolName ?? '', phase: status?.phase ?? 'Queued' });
        }
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'podwright_pool_warm_pods',
      help: 'Warm pods by pool: ready, starting, and the target.',
      labelNames: ['namespace', 'pool', 'state'],
      registers: [],
      collect() {
        this.reset();
        if (!isLeader()) return;
        for (const { metadata, status } of caches.pools.store.list()) {
          const labels = { namespace: metadata.namespace ?? '', pool: metadata.name };
          this.set({ ...labels, state: 'ready' }, status?.warm ?? 0);
          this.set({ ...labels, state: 'starting' }, status?.starting ?? 0);
          this.set({ ...labels, state: 'target' }, status?.target ?? 0);
        }
      },
    }),
  );
  const leaked = new Gauge({
    name: 'podwright_leaked_pods',
    help: 'Pods of no session that the last sweep found.',
    registers,
  });
  const clockHeld = new Gauge({
    name: 'podwright_clock_held_sessions',
    help: 'Sessions whose time is over by a clock that is not trusted; they go on until it is.',
    registers,
  });
  const ready = new Histogram({
    name: 'podwright_session_ready_seconds',
    help: 'From the first sight of an admitted session to Ready.',
    labelNames: ['pool', 'start'],
    buckets: [0.02, 0.04, 0.06, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120],
    registers,
  });
  const admissionWait = new Histogram({
    name: 'podwright_admission_wait_seconds',
    help: 'From creation to admission.',
    labelNames: ['tenant'],
    buckets: [0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600],
    registers,
  });
  const evictions = new Counter({
    name: 'podwright_evictions_total',
    help: 'Sessions that were ended by a rule or a fault and not by their owner.',
    labelNames: ['reason'],
    registers,
  });
  const warmRemoved = new Counter({
    name: 'podwright_warm_pods_removed_total',
    help: 'Warm pods removed before anybody claimed them.',
    labelNames: ['namespace', 'pool', 'reason'],
    registers,
  });
  const passes = new Histogram({
    name: 'podwright_reconcile_seconds',
    help: 'Duration of one pass over one object.',
    labelNames: ['queue', 'outcome'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 10],
    registers,
  });

  return {
    registry,
    leaked,
    clockHeld,
    warmRemoved,
    pass:
      (queue: string) =>
      (seconds: number, outcome: 'done' | 'failed'): void =>
        passes.observe({ queue, outcome }, seconds),
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
