import { expect, test } from 'vitest';
import { createBackoff } from './backoff.ts';

test.each([
  ['without luck it doubles up to the ceiling', 1, [100, 200, 400, 500, 500]],
  ['with luck it waits half as long', 0, [50, 100, 200, 250, 250]],
])('%s', (_name, luck, expected) => {
  const backoff = createBackoff({ firstMs: 100, maxMs: 500, random: () => luck });
  expect(expected.map(() => backoff.next())).toEqual(expected);
  backoff.reset();
  expect(backoff.next()).toBe(expected[0]);
});
