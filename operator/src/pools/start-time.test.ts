import { expect, test } from 'vitest';
import { pod, time } from '../testing/objects.ts';
import { startTimeMs } from './start-time.ts';

const started = (createdAt: number, took: number) =>
  pod({
    name: `p-${createdAt}`,
    createdAt,
    status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: time(createdAt + took) }] },
  });

test.each<[string, ReturnType<typeof pod>[], number]>([
  ['nothing measured is taken for ten seconds', [], 10_000],
  ['a pod that is not ready says nothing', [pod({ ready: false })], 10_000],
  ['one pod is believed', [started(1, 4)], 4_000],
  [
    'of several, three in four were faster',
    [started(1, 2), started(2, 3), started(3, 4), started(4, 5), started(5, 60)],
    5_000,
  ],
  ['a clock that went back does not make it negative', [started(50, -20)], 1_000],
  ['one that came back after an hour is no start of an hour', [started(1, 3_600)], 120_000],
])('%s', (_name, pods, expected) => {
  expect(startTimeMs(pods)).toBe(expected);
});

test('only the youngest count', () => {
  const old = Array.from({ length: 30 }, (_one, index) => started(index, 90));
  const young = Array.from({ length: 20 }, (_one, index) => started(1_000 + index, 3));
  expect(startTimeMs([...old, ...young])).toBe(3_000);
});
