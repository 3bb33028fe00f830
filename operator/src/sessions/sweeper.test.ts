import { LABEL } from '@podwright/api/names';
import { expect, test } from 'vitest';
import { at, pod } from '../testing/objects.ts';
import { findOrphans, isLeak } from './sweeper.ts';

const orphans = (...pods: ReturnType<typeof pod>[]): string[] =>
  findOrphans(pods, (uid) => uid === 'alive').map(({ metadata }) => metadata.name);
const of = (session: string) => ({ labels: { [LABEL.sessionUid]: session } });

test('a pod whose session does not exist is an orphan', () => {
  expect(orphans(pod({ name: 'lost', ...of('gone') }), pod({ name: 'used', ...of('alive') }))).toEqual(['lost']);
});

test('one that is going already needs no help', () => {
  expect(orphans(pod({ name: 'going', deleting: true, ...of('gone') }))).toEqual([]);
});

test('a young orphan was left by a crash, an old one is a leak', () => {
  expect(isLeak(pod({ createdAt: 80 }), at(100))).toBe(false);
  expect(isLeak(pod({ createdAt: 70 }), at(100))).toBe(true);
});

test('a warm pod belongs to its pool, not to a session', () => {
  const warm = pod({ name: 'warm' });
  delete warm.metadata.labels![LABEL.sessionUid];
  expect(orphans(warm)).toEqual([]);
});
