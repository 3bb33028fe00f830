import { describe, expect, test } from 'vitest';
import type { BrowserSession } from '@podwright/api/kinds/session';
import type { RunRecord } from '@podwright/api/run';
import type { ConversationView } from '@podwright/runs/conversations';
import { type SettleFacts, type SettlePlan, decideSettle } from './decide-settle.ts';

const now = Date.parse('2026-03-02T10:00:00Z');
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString();

const session = (status: object, spec: object = {}): BrowserSession =>
  ({ metadata: { uid: 'u', name: 's' }, spec, status: { startedAt: ago(60), ...status } }) as unknown as BrowserSession;
const run = (fields: Partial<RunRecord>): RunRecord =>
  ({
    request: { runId: 'r', conversationId: 'c', sessionUid: 'u' },
    steps: 2,
    lastStepSummary: 'Read the price.',
    failureKind: null,
    failureMessage: null,
    modelCostMicroUsd: 1_000,
    updatedAt: ago(30),
    ...fields,
  }) as RunRecord;
const view = (record: RunRecord | null, conversation: object = {}): ConversationView =>
  ({
    conversation: { sessionUid: 'u', keepAlive: false, stoppedAt: null, echo: {}, ...conversation },
    run: record,
  }) as unknown as ConversationView;

const decide = (facts: Partial<SettleFacts> & { session: BrowserSession }): SettlePlan =>
  decideSettle({
    view: null,
    browserMicroUsd: 500,
    earlierModelMicroUsd: 0,
    job: null,
    writtenAt: now - 1_000,
    now,
    ...facts,
  });

describe('settling a session', () => {
  test('a finished task without keepAlive ends its browser and its state is written at once', () => {
    const plan = decide({ session: session({ phase: 'Running' }), view: view(run({ state: 'succeeded' })) });
    expect(plan.stop).toBe('TaskFinished');
    expect(plan.leaveLine).toBe(true);
    expect(plan.status?.run).toEqual({
      id: 'r',
      state: 'succeeded',
      steps: 2,
      summary: 'Read the price.',
      outputRef: '/api/v3/sessions/c',
    });
    expect(plan.status?.cost?.totalUsd).toBe('0.001500');
  });
  test('a finished task with keepAlive leaves its browser', () => {
    const plan = decide({
      session: session({ phase: 'Running' }),
      view: view(run({ state: 'succeeded' }), { keepAlive: true }),
    });
    expect(plan.stop).toBeNull();
  });
  test('a run that waits is in the line, also when the replica that wrote it ended before it was', () => {
    const of = (state: RunRecord['state'], phase: string) =>
      decide({ session: session({ phase }), view: view(run({ state })) }).joinLine;
    expect([of('waiting', 'Queued'), of('waiting', 'Ready'), of('queued', 'Ready'), of('succeeded', 'Ready')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(of('waiting', 'Stopping')).toBe(false);
  });
  test('a browser without a task is left alone', () => {
    expect(decide({ session: session({ phase: 'Ready' }) })).toMatchObject({
      stop: null,
      failRun: null,
      requeue: false,
      close: false,
    });
  });
  test('a stop that was asked for and got lost is carried out', () => {
    const plan = decide({ session: session({ phase: 'Running' }), view: view(null, { stoppedAt: ago(5) }) });
    expect(plan.stop).toBe('Asked');
  });
  test('a run that waits fails with its browser, at once', () => {
    const plan = decide({
      session: session({ phase: 'Failed', reason: 'ImagePullFailed', message: 'no such image' }),
      view: view(run({ state: 'waiting' })),
    });
    expect(plan.failRun).toEqual({ failureKind: 'session_gone', failureMessage: 'no such image' });
    expect(plan.again).toBe(now);
  });
  test('an agent at work has the first word about the end of its browser', () => {
    const working = view(run({ state: 'running' }));
    const soon = decide({ session: session({ phase: 'Failed', endedAt: ago(2) }), view: working });
    expect(soon).toMatchObject({ failRun: null, close: false, again: now + 3_000 });
    expect(
      decide({ session: session({ phase: 'Failed', reason: 'OOMKilled', endedAt: ago(30) }), view: working }).failRun
        ?.failureKind,
    ).toBe('browser_crashed');
  });
  test.each([
    ['a run whose job is gone and whose worker is silent is put back', { queued: false, alive: false }, true],
    ['a run in the queue is not put back', { queued: true, alive: false }, false],
    ['a run whose worker lives is not put back', { queued: false, alive: true }, false],
  ])('%s', (_name, job, requeue) => {
    expect(decide({ session: session({ phase: 'Running' }), view: view(run({ state: 'running' })), job }).requeue).toBe(
      requeue,
    );
  });
  test('a run that somebody wrote a moment ago is not put back', () => {
    const fresh = view(run({ state: 'queued', updatedAt: ago(2) }));
    const job = { queued: false, alive: false };
    expect(decide({ session: session({ phase: 'Running' }), view: fresh, job }).requeue).toBe(false);
  });
  test('steps are written now and then, a changed state at once', () => {
    const before = { phase: 'Running', run: { id: 'r', state: 'running', steps: 1 }, cost: { totalUsd: '0.001500' } };
    const working = view(run({ state: 'running' }));
    expect(decide({ session: session(before), view: working, writtenAt: now - 10_000 }).status).toBeNull();
    expect(decide({ session: session(before), view: working, writtenAt: now - 61_000 }).status?.run?.steps).toBe(2);
    expect(
      decide({ session: session({ ...before, run: { id: 'r', state: 'queued', steps: 0 } }), view: working }).status
        ?.run?.state,
    ).toBe('running');
  });
  test('nothing is written before the operator has looked', () => {
    expect(decide({ session: session({}), view: view(run({ state: 'waiting' })) }).status).toBeNull();
  });
  test('the final cost is written when paid time has ended, and the doors are closed with the end', () => {
    const stopping = decide({ session: session({ phase: 'Stopping', stoppingAt: ago(1) }) });
    expect(stopping.status?.cost?.browserUsd).toBe('0.000500');
    expect(stopping.close).toBe(false);
    expect(decide({ session: session({ phase: 'Stopped', stoppingAt: ago(9) }) }).close).toBe(true);
  });
  test('an end that was settled before costs nothing', () => {
    const done = session({
      phase: 'Stopped',
      cost: { totalUsd: '0.001500' },
      run: { id: 'r', state: 'succeeded', steps: 2 },
    });
    const settled = view(run({ state: 'succeeded' }), { echo: { ended: { sessionUid: 'u' } } });
    expect(decide({ session: done, view: settled })).toMatchObject({ status: null, close: false, again: null });
  });
  test('the run of an earlier browser is not the run of this one', () => {
    const moved = view(run({ state: 'running', request: { sessionUid: 'other' } as RunRecord['request'] }), {
      sessionUid: 'other',
    });
    expect(decide({ session: session({ phase: 'Stopped' }), view: moved })).toMatchObject({
      failRun: null,
      stop: null,
    });
  });
});
