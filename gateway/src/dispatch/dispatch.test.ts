import { describe, expect, test } from 'vitest';
import type { BrowserSession } from '@podwright/api/kinds/session';
import type { RunRecord, RunState } from '@podwright/api/run';
import { decideRun } from './decide-run.ts';
import { fairOrder } from './fair-order.ts';

const line = (tenant: string, running: number, ready: string[], weight = 1) => ({ tenant, running, ready, weight });
const names = (chosen: { runId: string }[]): string => chosen.map(({ runId }) => runId).join(' ');

describe('the order in which runs enter the queue', () => {
  test.each([
    ['one tenant keeps its own order', [line('a', 0, ['a1', 'a2'])], 5, 'a1 a2'],
    ['two tenants take turns', [line('a', 0, ['a1', 'a2', 'a3']), line('b', 0, ['b1', 'b2'])], 5, 'a1 b1 a2 b2 a3'],
    ['whoever has much on its way waits', [line('a', 3, ['a1']), line('b', 0, ['b1', 'b2'])], 2, 'b1 b2'],
    [
      'twice the weight gets twice as many',
      [line('a', 0, ['a1', 'a2', 'a3', 'a4'], 2), line('b', 0, ['b1', 'b2'])],
      3,
      'a1 b1 a2',
    ],
    ['no room, no run', [line('a', 0, ['a1'])], 0, ''],
    ['less than no room, no run', [line('a', 0, ['a1'])], -3, ''],
  ])('%s', (_name, lines, room, expected) => {
    expect(names(fairOrder(lines, room))).toBe(expected);
  });
});

const run = (state: RunState): RunRecord => ({ state }) as RunRecord;
const session = (status: object, spec: object = {}): BrowserSession =>
  ({ metadata: {}, spec, status }) as unknown as BrowserSession;
const ready = session({ phase: 'Ready', podIP: '10.0.0.1', podUID: 'p' });

describe('a run in the line', () => {
  test.each([
    ['without a record is dropped', null, ready, 'drop'],
    ['that ended is dropped', run('succeeded'), ready, 'drop'],
    ['that an agent has taken is on its way', run('running'), ready, 'moved'],
    ['waits while its browser starts', run('waiting'), session({ phase: 'Starting' }), 'wait'],
    ['waits while nobody has looked at its browser', run('waiting'), session({}), 'wait'],
    ['is ready with its browser', run('waiting'), ready, 'ready'],
    ['waits for the address of a ready pod', run('waiting'), session({ phase: 'Ready' }), 'wait'],
    [
      'is lost with a stopped browser',
      run('waiting'),
      session({ phase: 'Ready' }, { stop: { reason: 'Asked' } }),
      'lost',
    ],
    ['is lost with a failed browser', run('waiting'), session({ phase: 'Failed' }), 'lost'],
    ['is lost with an object that is gone', run('waiting'), null, 'lost'],
  ])('%s', (_name, record, object, expected) => {
    expect(decideRun(record, object)).toBe(expected);
  });
});
