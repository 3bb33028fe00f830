import { expect, test } from 'vitest';
import type { BrowserProfile, BrowserProfileStatus } from '@podwright/api/kinds/profile';
import { type Attempt, decideSaves } from './decide-saves.ts';

const at = (seconds: number): number => Date.parse('2026-01-01T00:00:00Z') + seconds * 1000;
const time = (seconds: number): string => new Date(at(seconds)).toISOString();
const profile = (name: string, status: BrowserProfileStatus, deletionTimestamp?: string): BrowserProfile => ({
  apiVersion: '',
  kind: '',
  metadata: {
    name,
    uid: name,
    resourceVersion: '1',
    creationTimestamp: '',
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
  },
  spec: {},
  status,
});
const held = (since: number, lastSavedAt?: number): BrowserProfileStatus => ({
  holder: { sessionName: 's', sessionUID: 'u', since: time(since) },
  ...(lastSavedAt === undefined ? {} : { lastSavedAt: time(lastSavedAt) }),
});

test.each<[string, BrowserProfileStatus, Attempt | undefined, number, boolean]>([
  ['one that nobody holds is left alone', {}, undefined, 1000, false],
  ['one that was claimed a moment ago has time', held(0), undefined, 179, false],
  ['one that is held for a period is due', held(0), undefined, 180, true],
  ['one that was saved meanwhile has time again', held(0, 100), undefined, 279, false],
  ['and is due a period later', held(0, 100), undefined, 280, true],
  ['what an earlier holder saved does not count', held(200, 100), undefined, 379, false],
  ['one that was looked at a moment ago is not looked at again', held(0), { at: at(180), failures: 0 }, 200, false],
  ['one that failed is tried again after some seconds', held(0), { at: at(180), failures: 1 }, 185, true],
  ['not before', held(0), { at: at(180), failures: 1 }, 184, false],
  ['one that fails on and on is tried each minute', held(0), { at: at(180), failures: 9 }, 239, false],
  ['and for ever', held(0), { at: at(180), failures: 9 }, 240, true],
])('%s', (_name, status, attempt, now, due) => {
  const attempts = new Map(attempt ? [['u', attempt]] : []);
  const saves = decideSaves({ profiles: [profile('p', status)], attempts, everyMs: 180_000, now: at(now) });
  expect(saves).toHaveLength(due ? 1 : 0);
});

test('the longest overdue comes first, and what is being deleted not at all', () => {
  const profiles = [profile('a', held(100)), profile('b', held(0)), profile('c', held(50), time(60))];
  const saves = decideSaves({ profiles, attempts: new Map(), everyMs: 1000, now: at(1000) });
  expect(saves.map(({ metadata }) => metadata.name)).toEqual(['b', 'a']);
});
