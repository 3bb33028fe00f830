import { describe, expect, test } from 'vitest';
import type { BrowserPool } from '@podwright/api/kinds/pool';
import type { BrowserSession } from '@podwright/api/kinds/session';
import { askAt } from './decide-eviction.ts';

const at = (time: string): number => Date.parse(`2026-03-02T${time}Z`);
const session = (status: object, lifetime: object = {}): BrowserSession =>
  ({
    metadata: {},
    spec: { lifetime },
    status: { phase: 'Ready', podIP: '10.0.0.1', podUID: 'p', readyAt: '2026-03-02T10:00:00Z', ...status },
  }) as unknown as BrowserSession;
const pool = { spec: { lifetime: { idleTimeout: '5m' } } } as unknown as BrowserPool;

describe('when a pod is asked whether it is idle', () => {
  test.each([
    ['ten minutes after it became ready, without any other wish', session({}), undefined, null, at('10:10:00')],
    ['after the timeout of its pool', session({}), pool, null, at('10:05:00')],
    ['after its own timeout', session({}, { idleTimeout: '30s' }), pool, null, at('10:00:30')],
    [
      'after the latest activity that status knows',
      session({ lastActiveAt: '2026-03-02T10:07:00Z' }),
      pool,
      null,
      at('10:12:00'),
    ],
    ['after the latest activity that the pod told', session({}), pool, at('10:20:00'), at('10:25:00')],
    ['never when its timeout is 0', session({}, { idleTimeout: '0' }), pool, null, null],
    ['not while it starts', session({ phase: 'Starting' }), pool, null, null],
    ['not while it stops', session({ phase: 'Stopping' }), pool, null, null],
    ['not without an address', session({ podIP: undefined }), pool, null, null],
    ['never when nothing is known of its use', session({ readyAt: undefined }), pool, null, null],
  ])('%s', (_name, object, its, lastActiveAt, expected) => {
    expect(askAt(object, its, lastActiveAt)).toBe(expected);
  });
});
