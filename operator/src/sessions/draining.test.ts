import type { Node } from '@podwright/kube/objects';
import { describe, expect, test } from 'vitest';
import { at, condition, pod, pool, time } from '../testing/objects.ts';
import { brief, conditionOf, live, liveSession, observe } from '../testing/observation.ts';
import { decide } from './decide.ts';
import type { Observation } from './observation.ts';

const node = (unschedulable: boolean): Node => ({
  metadata: { name: 'node-1', uid: 'n', resourceVersion: '1', creationTimestamp: time(0) },
  spec: { unschedulable },
});
const told = {
  nodeName: 'node-1',
  drainDeadline: time(310),
  conditions: [...live.conditions!, condition('NodeDraining', 'True', 'NodeDraining', 10)],
};
const run = (over: Partial<Observation>) =>
  decide(
    observe({
      session: liveSession(),
      pods: [pod()],
      node: node(true),
      pool: pool({ lifetime: { drainTimeout: '5m' } }),
      ...over,
    }),
  );

describe('a session on a cordoned node', () => {
  test('is told until when it may go on, and goes on', () => {
    const plan = run({});
    expect(plan.status).toMatchObject({ phase: 'Ready', reason: 'Ready', drainDeadline: time(310) });
    expect(conditionOf(plan, 'NodeDraining')).toMatchObject({ status: 'True', reason: 'NodeDraining' });
    expect(conditionOf(plan, 'NodeDraining')?.message).toContain(time(310));
    expect(plan.at).toBe(at(310));
  });

  test('has ten minutes when its pool says nothing', () => {
    expect(run({ pool: pool() }).status.drainDeadline).toBe(time(610));
  });

  test('keeps the instant it was told, whoever looks and whatever the pool says later', () => {
    const plan = run({
      session: liveSession({}, told),
      now: at(200),
      pool: pool({ lifetime: { drainTimeout: '1h' } }),
    });
    expect(plan.status.drainDeadline).toBe(time(310));
  });

  test('is saved and stopped then', () => {
    expect(brief(run({ session: liveSession({}, told), now: at(310) }))).toEqual({
      phase: 'Stopping',
      reason: 'NodeDraining',
      effects: ['collect'],
    });
  });

  test('and has ended as Stopped when its pod is gone', () => {
    const stopping = { ...told, phase: 'Stopping' as const, reason: 'NodeDraining', stoppingAt: time(311) };
    expect(brief(run({ session: liveSession({}, stopping), now: at(320), pods: [] }))).toMatchObject({
      phase: 'Stopped',
      reason: 'NodeDraining',
    });
  });

  test('goes on when the node takes work again', () => {
    const plan = run({ session: liveSession({}, told), now: at(400), node: node(false) });
    expect(plan.status).toMatchObject({ phase: 'Ready', reason: 'Ready' });
    expect(plan.status.drainDeadline).toBeUndefined();
    expect(conditionOf(plan, 'NodeDraining')).toMatchObject({ status: 'False', reason: 'NodeUncordoned' });
  });

  test('that is evicted through the API ends with the same reason', () => {
    const status = {
      conditions: [{ type: 'DisruptionTarget', status: 'True' as const, reason: 'EvictionByEvictionAPI' }],
    };
    expect(brief(run({ pods: [pod({ deleting: true, grace: 60, status })] }))).toMatchObject({
      phase: 'Stopping',
      reason: 'NodeDraining',
    });
  });
});
