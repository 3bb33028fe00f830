import type { BrowserSession } from '@podwright/api/kinds/session';
import { expect, test } from 'vitest';
import { isStarting } from './caches.ts';
import { condition, session, time } from './testing/objects.ts';

const admitted: NonNullable<BrowserSession['status']> = {
  phase: 'Starting',
  conditions: [condition('Admitted', 'True', 'Admitted')],
};

test.each<[string, BrowserSession['status'], boolean]>([
  ['one that waits for its turn holds none', undefined, false],
  ['an admitted one holds one', admitted, true],
  ['so does one whose pod is on its way', { ...admitted, reason: 'PodPending', podUID: 'uid-p' }, true],
  ['one that a used-up quota holds back gives it to others', { ...admitted, reason: 'QuotaExceeded' }, false],
  ['one that is Ready has given it back', { ...admitted, readyAt: time(2) }, false],
  ['so has one that ends', { ...admitted, stoppingAt: time(2) }, false],
])('a start slot: %s', (_name, status, expected) => {
  expect(isStarting(session(status === undefined ? {} : { status }))).toBe(expected);
});
