import { describe, expect, test } from 'vitest';
import { condition, time } from '../testing/objects.ts';
import type { OperatorStatus } from './observation.ts';
import { story } from './story.ts';
import { isWorthWriting } from './worth-writing.ts';

const ready: OperatorStatus = {
  phase: 'Ready',
  reason: 'Ready',
  start: 'warm',
  startedAt: time(1),
  readyAt: time(1.04),
  nodeName: 'node-1',
  expiresAt: time(3600),
  conditions: [condition('PodAssigned', 'True', 'ClaimedWarm'), condition('Ready', 'True', 'Ready')],
};
const told = (before: OperatorStatus | undefined, after: OperatorStatus): string[] =>
  story(before, after).map(({ type, reason }) => `${type} ${reason}`);

describe('the story in events', () => {
  test('a warm claim is told in two: the pod, and that it is ready', () => {
    expect(told(undefined, ready)).toEqual(['Normal ClaimedWarm', 'Normal Ready']);
    expect(story(undefined, ready)[1]?.note).toMatch(/warm start of 40 ms/);
  });

  test('the same status again tells nothing', () => {
    expect(told(ready, ready)).toEqual([]);
  });

  test('waiting is told with its place, and again only for another reason', () => {
    const queued: OperatorStatus = { phase: 'Queued', reason: 'TenantFull', message: 'full', queuePosition: 3 };
    expect(story(undefined, queued)[0]?.note).toBe('full (place 3)');
    expect(told(queued, { ...queued, queuePosition: 2 })).toEqual([]);
    expect(told(queued, { ...queued, reason: 'PoolFull' })).toEqual(['Normal PoolFull']);
  });

  test('trouble while starting is a warning, once per reason', () => {
    const starting: OperatorStatus = { phase: 'Starting', reason: 'PodPending' };
    const full: OperatorStatus = { ...starting, reason: 'QuotaExceeded', message: 'q' };
    expect(told(starting, full)).toEqual(['Warning QuotaExceeded']);
    expect(told(full, full)).toEqual([]);
  });

  test.each<[string, OperatorStatus, string]>([
    ['a stop that was asked for is no warning', { ...ready, phase: 'Stopped', reason: 'Asked' }, 'Normal Asked'],
    ['a failure is one', { ...ready, phase: 'Failed', reason: 'BrowserCrashed' }, 'Warning BrowserCrashed'],
  ])('%s', (_name, after, expected) => {
    expect(told(ready, after)).toContain(expected);
  });
});

describe('whether a status is worth a write', () => {
  const starting: OperatorStatus = {
    phase: 'Starting',
    reason: 'PodPending',
    message: 'a',
    podUID: 'u',
    conditions: [],
  };
  test.each<[string, OperatorStatus | undefined, OperatorStatus, boolean]>([
    ['the first one is', undefined, starting, true],
    ['the same is not', starting, { ...starting }, false],
    ['another order of fields is not', { phase: 'Ready', reason: 'Ready' }, { reason: 'Ready', phase: 'Ready' }, false],
    [
      'node and address of a pod on its way are not',
      starting,
      { ...starting, message: 'b', nodeName: 'n', podIP: 'i' },
      false,
    ],
    ['another reason is', starting, { ...starting, reason: 'ImagePullFailed' }, true],
    ['a pod that was just found is', { ...starting, podUID: undefined as never }, starting, true],
    ['a message of a live session is', ready, { ...ready, message: 'x' }, true],
    [
      "the gateway's block is not ours",
      { ...ready, run: { id: 'r', state: 'running' } } as OperatorStatus,
      ready,
      false,
    ],
  ])('%s', (_name, before, after, expected) => {
    expect(isWorthWriting(before, after)).toBe(expected);
  });
});
