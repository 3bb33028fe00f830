import { expect, test } from 'vitest';
import { scheduleOf } from './schedule.ts';

test('a seed always gives the same schedule, and another one another', () => {
  expect(scheduleOf(7)).toEqual(scheduleOf(7));
  expect(scheduleOf(7)).not.toEqual(scheduleOf(8));
});

test('schedules have three to seven troubles in order of time, and all kinds come up', () => {
  const all = Array.from({ length: 100 }, (_, seed) => scheduleOf(seed));
  for (const troubles of all) {
    expect(troubles.length).toBeGreaterThanOrEqual(3);
    expect(troubles.length).toBeLessThanOrEqual(7);
    expect(troubles.map(({ at }) => at)).toEqual(troubles.map(({ at }) => at).toSorted((a, b) => a - b));
  }
  expect([...new Set(all.flat().map((trouble) => trouble.do))].toSorted()).toEqual([
    'clock',
    'conflict',
    'kill',
    'pause',
    'stale',
  ]);
});
