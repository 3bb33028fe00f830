import { LABEL } from '@podwright/api/names';
import { expect, test } from 'vitest';
import { pod, session } from '@podwright/operator/testing/objects';
import type { Record } from './history.ts';
import { violations } from './invariants.ts';
import type { EndState } from './scenario.ts';

/** The judge must not be blind: each wrong that it is there for is shown to it once. */
const fine: EndState = { sessions: { warm: 'Stopped/Asked' }, profile: 'free', pods: [], stuck: [], late: [] };
const nothing: Record = { sessions: [], pods: [], events: [] };

function judge(over: {
  end?: Partial<EndState>;
  record?: Partial<Record>;
  bindings?: [string, string[]][];
  faults?: number;
}): string[] {
  return violations({
    reference: fine,
    end: { ...fine, ...over.end },
    record: { ...nothing, ...over.record },
    bindings: new Map(over.bindings),
    referenceEvents: new Map([['BrowserSession warm Ready', 1]]),
    faults: over.faults ?? 1,
  });
}
const podSight = (labels: { [name: string]: string }, name = 'p') => {
  const object = pod({ name, labels });
  return { uid: object.metadata.uid, name, object };
};
const sessionSight = (status: NonNullable<Parameters<typeof session>[0]>['status']) => {
  const object = session({ status });
  return { uid: object.metadata.uid, name: 'warm', object };
};
const event = (uid: string) => ({
  uid,
  name: uid,
  object: { reason: 'Ready', regarding: { kind: 'BrowserSession', name: 'warm' } } as never,
});

test('an end like the reference is fine', () => {
  expect(judge({})).toEqual([]);
});

test('another end, an orphan, something stuck and a held profile are told', () => {
  expect(judge({ end: { sessions: { warm: 'Failed/PodLost' } } })).toHaveLength(1);
  expect(judge({ end: { pods: ['bs-1'] } })).toHaveLength(1);
  expect(judge({ end: { stuck: ['BrowserSession warm'] } })).toHaveLength(1);
  expect(judge({ end: { profile: 'held by warm' } })).toHaveLength(1);
});

test('a pod that changed its session was adopted twice', () => {
  const pods = [podSight({ [LABEL.sessionUid]: 'a' }), podSight({ [LABEL.sessionUid]: 'b' })];
  expect(judge({ record: { pods } })).toHaveLength(1);
});

test('a pod that two sessions bound, and a session that two pods served', () => {
  expect(judge({ bindings: [['p', ['a', 'b']]] })).toHaveLength(1);
  expect(
    judge({
      bindings: [
        ['p', ['a']],
        ['q', ['a']],
      ],
    }),
  ).toHaveLength(1);
});

test('a session that left its end, its stop or its pod', () => {
  const after = (before: object, next: object): string[] =>
    judge({ record: { sessions: [sessionSight(before), sessionSight(next)] } });
  expect(after({ phase: 'Stopped' }, { phase: 'Ready' })).toHaveLength(1);
  expect(after({ stoppingAt: '2026-01-01T00:00:00Z' }, { phase: 'Ready' })).toHaveLength(1);
  expect(after({ podUID: 'a' }, { podUID: 'b' })).toHaveLength(1);
});

test('more warm pods than one fault explains', () => {
  const pods = ['a', 'b', 'c', 'd'].map((name) => podSight({ [LABEL.claimed]: 'false', [LABEL.sessionUid]: '' }, name));
  expect(judge({ record: { pods } })).toHaveLength(1);
  expect(judge({ record: { pods }, faults: 2 })).toEqual([]);
});

test('one event too many is what a fault may cost, two are not', () => {
  expect(judge({ record: { events: [event('1'), event('2')] } })).toEqual([]);
  expect(judge({ record: { events: [event('1'), event('2'), event('3')] } })).toHaveLength(1);
});
