import { OPERATOR_METRICS } from '@podwright/api/metrics';
import { expect, test } from 'vitest';
import type { Caches } from '../caches.ts';
import { pool, session, time } from '../testing/objects.ts';
import { createMetrics } from './metrics.ts';

const health = { kind: 'Pod', synced: true, healthy: true, lastContactAt: 0, sinceStepMs: 0, lastError: undefined };

function setUp(leads = true) {
  const caches = {
    health: () => [{ ...health, restarts: 3, lists: 2 }],
    sessions: { store: { list: () => [session({ status: { tenant: 't', poolName: 'default', phase: 'Ready' } })] } },
    pools: { store: { list: () => [pool({}, { status: { warm: 2, starting: 1, target: 3 } })] } },
  } as unknown as Caches;
  return createMetrics({ caches, isLeader: () => leads, version: '1.2.3' });
}

const condition = (type: string, seconds: number) => ({
  type,
  status: 'True' as const,
  reason: type,
  message: '',
  lastTransitionTime: time(seconds),
});

/** Everything that can happen, once. */
function happen(metrics: ReturnType<typeof setUp>): void {
  const queue = { depth: 4, oldestAgeMs: () => 1_500, add() {}, addAt() {}, stop: async () => {} };
  metrics.queue('sessions', queue);
  metrics.pass('sessions')({ seconds: 0.2, waitedSeconds: 0.1, outcome: 'failed' });
  metrics.wrote({ verb: 'apply', resource: 'browsersessions/status', code: 409 });
  metrics.swept(2);
  metrics.swept(0);
  metrics.clockHeld.set(5);
  metrics.warmRemoved.inc({ namespace: 'ns', pool: 'default', reason: 'old' });
  const admitted = { tenant: 't', poolName: 'default', start: 'warm' as const, conditions: [condition('Admitted', 2)] };
  const claimed = { ...admitted, podUID: 'uid', readyAt: time(3) };
  metrics.written(session(), undefined, admitted, Date.parse(time(2)));
  metrics.written(session(), admitted, claimed, Date.parse(time(2)));
  metrics.written(session(), claimed, { ...claimed, stoppingAt: time(9), reason: 'Idle' }, Date.parse(time(2)));
}

test('every declared metric is exported with exactly the declared labels, and no other', async () => {
  const metrics = setUp();
  happen(metrics);
  const exported = (await metrics.registry.getMetricsAsJSON()).filter(({ name }) => name.startsWith('podwright_'));
  const labelsOf = (labels: object): string[] =>
    Object.keys(labels)
      .filter((label) => label !== 'le')
      .toSorted();
  const declared = Object.entries(OPERATOR_METRICS).map(([name, { labels }]) => [name, labelsOf(labels)]);
  expect(
    Object.fromEntries(exported.map(({ name, values }) => [name, values[0] && labelsOf(values[0].labels)])),
  ).toEqual(Object.fromEntries(declared));
});

test('the figures are what happened', async () => {
  const metrics = setUp();
  happen(metrics);
  const text = await metrics.registry.metrics();
  for (const line of [
    'podwright_build_info{part="operator",version="1.2.3"} 1',
    'podwright_leader 1',
    'podwright_watch_healthy{kind="Pod"} 1',
    'podwright_watch_restarts_total{kind="Pod"} 3',
    'podwright_watch_lists_total{kind="Pod"} 2',
    'podwright_sessions{tenant="t",pool="default",phase="Ready"} 1',
    'podwright_pool_warm_pods{namespace="ns",pool="default",state="target"} 3',
    'podwright_warm_pods_removed_total{namespace="ns",pool="default",reason="old"} 1',
    'podwright_claims_total{namespace="ns",pool="default",start="warm"} 1',
    'podwright_session_ready_seconds_sum{pool="default",start="warm"} 1',
    'podwright_admission_wait_seconds_sum{tenant="t"} 2',
    'podwright_evictions_total{reason="Idle"} 1',
    'podwright_leaked_pods 0',
    'podwright_leaked_pods_total 2',
    'podwright_clock_held_sessions 5',
    'podwright_reconcile_seconds_sum{queue="sessions",outcome="failed"} 0.2',
    'podwright_queue_depth{queue="sessions"} 4',
    'podwright_queue_oldest_seconds{queue="sessions"} 1.5',
    'podwright_queue_wait_seconds_sum{queue="sessions"} 0.1',
    'podwright_queue_retries_total{queue="sessions"} 1',
    'podwright_api_writes_total{verb="apply",resource="browsersessions/status",code="409"} 1',
  ])
    expect(text.split('\n')).toContain(line);
});

test('asked twice, what is read from elsewhere is not added up', async () => {
  const metrics = setUp();
  await metrics.registry.metrics();
  expect(await metrics.registry.metrics()).toContain('podwright_watch_restarts_total{kind="Pod"} 3\n');
});

test('who does not lead tells nothing of sessions and pools', async () => {
  const text = await setUp(false).registry.metrics();
  expect(text).not.toMatch(/^podwright_(sessions|pool_warm_pods)\{/m);
  expect(text).toContain('podwright_leader 0\n');
});
