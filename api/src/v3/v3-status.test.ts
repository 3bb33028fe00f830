import { describe, expect, test } from 'vitest';
import type { FailureKind, RunState } from '../run.ts';
import type { V3Status } from './sessions.ts';
import { type BrowserPhase, v3Status } from './v3-status.ts';

interface Row {
  says: V3Status;
  stopped?: boolean;
  keepAlive?: boolean;
  run?: RunState;
  failure?: FailureKind;
  phase?: BrowserPhase['phase'];
  reason?: string;
  stopAsked?: boolean;
}

const rows: [string, Row][] = [
  ['a session just made, which the operator has not seen, is created', { says: 'created' }],
  ['a session that waits for its turn is created', { says: 'created', phase: 'Queued' }],
  ['a session whose browser starts is created', { says: 'created', phase: 'Starting' }],
  ['a session without a task is idle once its browser answers', { says: 'idle', phase: 'Ready' }],
  ['a session without a task stays idle', { says: 'idle', phase: 'Idle' }],
  [
    'a task that waits never shows idle although the browser is ready',
    { says: 'created', run: 'waiting', phase: 'Ready' },
  ],
  [
    'a task in the queue never shows idle although the phase says Idle',
    { says: 'created', run: 'queued', phase: 'Idle' },
  ],
  [
    'a follow-up that waits on a kept browser is created',
    { says: 'created', run: 'waiting', keepAlive: true, phase: 'Idle' },
  ],
  ['a task that is worked on is running', { says: 'running', run: 'running', phase: 'Ready' }],
  ['a task that is worked on is running although the object was not seen yet', { says: 'running', run: 'running' }],
  ['a paused task is running', { says: 'running', run: 'paused', phase: 'Running' }],
  [
    'a finished task without keepAlive is stopped although the browser still runs',
    { says: 'stopped', run: 'succeeded', phase: 'Running' },
  ],
  [
    'a failed task without keepAlive is stopped',
    { says: 'stopped', run: 'failed', failure: 'step_limit', phase: 'Running' },
  ],
  ['a finished task with keepAlive is idle', { says: 'idle', run: 'succeeded', keepAlive: true, phase: 'Running' }],
  [
    'a failed task with keepAlive is idle',
    { says: 'idle', run: 'failed', failure: 'agent_gave_up', keepAlive: true, phase: 'Idle' },
  ],
  ['a stop through the API wins over everything', { says: 'stopped', stopped: true, run: 'running', phase: 'Running' }],
  ['a stop through the API wins over a later failure', { says: 'stopped', stopped: true, phase: 'Failed' }],
  [
    'what a finished task showed does not change when its pod dies',
    { says: 'stopped', run: 'succeeded', phase: 'Failed' },
  ],
  ['a stop in the spec counts at once, before the phase follows', { says: 'stopped', phase: 'Idle', stopAsked: true }],
  [
    'a task whose browser was told to stop is running until it is settled, so that its end has an answer',
    { says: 'running', run: 'running', phase: 'Stopping', stopAsked: true },
  ],
  [
    'a cancelled task whose browser was told to stop is stopped',
    { says: 'stopped', run: 'cancelled', keepAlive: true, phase: 'Running', stopAsked: true },
  ],
  ['the end of the longest duration is timed_out', { says: 'timed_out', phase: 'TimedOut' }],
  [
    'a browser that is being stopped because it expired is timed_out',
    { says: 'timed_out', phase: 'Stopping', reason: 'Expired' },
  ],
  [
    'a run that lost its expired browser is timed_out',
    { says: 'timed_out', run: 'failed', failure: 'session_gone', phase: 'TimedOut' },
  ],
  ['a failed browser is error', { says: 'error', phase: 'Failed' }],
  ['a run whose browser failed is running until it is settled', { says: 'running', run: 'running', phase: 'Failed' }],
  [
    'a task whose browser could not start is error once that is settled',
    { says: 'error', run: 'failed', failure: 'session_gone', phase: 'Failed' },
  ],
  [
    'a run that lost its crashed browser is error before the phase follows',
    { says: 'error', run: 'failed', failure: 'browser_crashed', phase: 'Running' },
  ],
  [
    'an evicted browser is stopped',
    { says: 'stopped', run: 'succeeded', keepAlive: true, phase: 'Stopped', reason: 'Idle' },
  ],
  ['a deleted object is stopped', { says: 'stopped', phase: 'Gone' }],
  [
    'a cancelled task with keepAlive is idle',
    { says: 'idle', run: 'cancelled', failure: 'cancelled', keepAlive: true, phase: 'Running' },
  ],
];

describe('status of an agent session', () => {
  test.each(rows)('%s', (_sentence, row) => {
    expect(
      v3Status({
        conversation: { keepAlive: row.keepAlive ?? false, stoppedAt: row.stopped ? '2026-01-01T00:00:00.000Z' : null },
        run: row.run === undefined ? null : { state: row.run, failureKind: row.failure ?? null },
        browser: { phase: row.phase ?? null, reason: row.reason ?? null, stopAsked: row.stopAsked ?? false },
      }),
    ).toBe(row.says);
  });
});
