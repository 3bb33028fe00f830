import { expect, test } from 'vitest';
import { at, session, time } from '../testing/objects.ts';
import { createDemand } from './demand.ts';

const started = (name: string, seconds: number) =>
  session({ metadata: { name, uid: name }, status: { poolName: 'default', startedAt: time(seconds) } });

test('a session counts once, when it gets its browser, warm or cold', () => {
  const demand = createDemand({ now: () => at(100) });
  const before = session({ metadata: { name: 'a' }, status: { poolName: 'default' } });
  const after = started('a', 90);
  expect(demand.note({ type: 'added', object: before })).toBeUndefined();
  expect(demand.note({ type: 'changed', previous: before, object: after })).toBe('ns/default');
  expect(demand.note({ type: 'changed', previous: after, object: after })).toBeUndefined();
  expect(demand.note({ type: 'removed', object: after })).toBeUndefined();
  expect(demand.of('ns/default')).toEqual([at(90)]);
});

test('what a first list brings is put in order, and what is too old is left out', () => {
  const demand = createDemand({ now: () => at(1_000) });
  for (const [name, seconds] of [
    ['a', 950],
    ['b', 900],
    ['old', 600],
    ['c', 990],
  ] as const) {
    demand.note({ type: 'added', object: started(name, seconds) });
  }
  expect(demand.of('ns/default')).toEqual([at(900), at(950), at(990)]);
  demand.forget('ns/default');
  expect(demand.of('ns/default')).toEqual([]);
});
