import { LABEL } from '@podwright/api/names';
import { expect, test } from 'vitest';
import { at, pod } from '../testing/objects.ts';
import { findOrphans } from './sweeper.ts';

const orphans = (...pods: ReturnType<typeof pod>[]): string[] =>
  findOrphans(pods, (uid) => uid === 'alive', at(100)).map(({ metadata }) => metadata.name);
const of = (session: string) => ({ labels: { [LABEL.sessionUid]: session } });

test('a pod whose session does not exist is an orphan', () => {
  expect(orphans(pod({ name: 'lost', ...of('gone') }), pod({ name: 'used', ...of('alive') }))).toEqual(['lost']);
});

test('a young one may be ahead of its session, and one that is going needs no help', () => {
  expect(
    orphans(
      pod({ name: 'young', createdAt: 80, ...of('gone') }),
      pod({ name: 'going', deleting: true, ...of('gone') }),
    ),
  ).toEqual([]);
});

test('a warm pod belongs to its pool, not to a session', () => {
  const warm = pod({ name: 'warm' });
  delete warm.metadata.labels![LABEL.sessionUid];
  expect(orphans(warm)).toEqual([]);
});
