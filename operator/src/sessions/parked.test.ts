import type { BrowserSession } from '@podwright/api/kinds/session';
import { describe, expect, test } from 'vitest';
import { answer, at, time } from '../testing/objects.ts';
import { liveSession } from '../testing/observation.ts';
import { isParkedOnPaper, isUnused, missingPlaces, parkedFor, placesWanted } from './parked.ts';

const NOW = at(1_000);
const kept = { lifetime: { keepAlive: true } };
const parked = (name: string, status: Partial<NonNullable<BrowserSession['status']>> = {}): BrowserSession => {
  const session = liveSession(kept, { phase: 'Idle', ...status });
  session.metadata.name = name;
  session.metadata.uid = name;
  return session;
};

describe('parked on paper', () => {
  test.each<[string, BrowserSession, boolean]>([
    ['is one that is kept alive and has no run', liveSession(kept), true],
    ['is one whose run has ended', parked('s', { run: { id: 'r', state: 'succeeded' } }), true],
    ['is none whose run waits', parked('s', { run: { id: 'r', state: 'queued' } }), false],
    ['is none whose run is paused', parked('s', { run: { id: 'r', state: 'paused' } }), false],
    ['is none whose run works', parked('s', { phase: 'Running', run: { id: 'r', state: 'running' } }), false],
    ['is none without keep-alive', liveSession(), false],
    ['is none that is still starting', parked('s', { phase: 'Starting' }), false],
    ['is none that has just got ready', parked('s', { readyAt: time(980) }), false],
    ['is none whose task has not begun', liveSession({ ...kept, task: { instructions: 'x' } }), false],
    ['is none that is to stop', liveSession({ ...kept, stop: { reason: 'Asked' } }), false],
  ])('%s', (_name, session, expected) => {
    expect(isParkedOnPaper(session, NOW)).toBe(expected);
  });
});

test.each([
  ['nobody', {}, true],
  ['a CDP client', { cdpClients: 1 }, false],
  ['a viewer', { viewers: 1 }, false],
  ['an exclusive owner between two connections', { exclusiveHolder: 'x' }, false],
])('with %s the pod says so', (_name, activity, expected) => {
  const idle = answer().activity;
  expect(isUnused(answer({ activity: { ...idle, ...activity } }))).toBe(expected);
});

test('the longest unused gives way first, and only in the pool that is full', () => {
  const sessions = [
    parked('young', { lastActiveAt: time(500) }),
    parked('old', { lastActiveAt: time(100) }),
    parked('elsewhere', { lastActiveAt: time(1), poolName: 'other' }),
  ];
  const names = (pool: string | undefined): string[] =>
    parkedFor({ namespace: 'ns', pool, count: 1 }, sessions, NOW).map(({ metadata }) => metadata.name);
  expect(names(undefined)).toEqual(['elsewhere', 'old', 'young']);
  expect(names('ns/default')).toEqual(['old', 'young']);
});

test('as many places are wanted as wait for one', () => {
  const wait = (reason: string, pool = 'a/p') => ({ namespace: pool.split('/')[0]!, pool, reason });
  const waiting = [
    wait('TenantFull'),
    wait('TenantFull', 'a/q'),
    wait('PoolFull', 'b/p'),
    wait('Waiting', 'c/p'),
    wait('TenantPaused', 'd/p'),
    wait('CreateRate', 'd/p'),
  ];
  expect(placesWanted(waiting)).toEqual([
    { namespace: 'a', pool: undefined, count: 2 },
    { namespace: 'b', pool: 'b/p', count: 1 },
  ]);
});

test('what ends already is not asked for twice', () => {
  const sessions = [parked('a'), parked('b', { stoppingAt: time(999) }), liveSession({ stop: { reason: 'Replaced' } })];
  expect(missingPlaces({ namespace: 'ns', pool: undefined, count: 3 }, sessions)).toBe(1);
  expect(missingPlaces({ namespace: 'ns', pool: 'ns/other', count: 3 }, sessions)).toBe(3);
  expect(missingPlaces({ namespace: 'ns', pool: undefined, count: 1 }, sessions)).toBe(0);
});
