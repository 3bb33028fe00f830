import { describe, expect, test } from 'vitest';
import type { ConfigMap } from './objects.ts';
import { createStore } from './store.ts';

const map = (name: string, version: number, over: { uid?: string; team?: string } = {}): ConfigMap => ({
  metadata: {
    name,
    namespace: 'ns',
    uid: over.uid ?? `uid-${name}`,
    resourceVersion: String(version),
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  data: { team: over.team ?? 'a' },
});
const setUp = () => {
  const clock = { now: 0 };
  const store = createStore<ConfigMap, 'team'>({
    indexes: { team: ({ data }) => [data?.['team'] ?? ''] },
    now: () => clock.now,
  });
  return { store, clock };
};
const words = (changes: { type: string; object: ConfigMap }[]): string[] =>
  changes.map(({ type, object }) => `${type} ${object.metadata.name}@${object.metadata.resourceVersion}`);

describe('a store', () => {
  test('takes new versions and ignores old ones and repetitions', () => {
    const { store } = setUp();
    expect(words(store.put(map('x', 5)))).toEqual(['added x@5']);
    expect(words(store.put(map('x', 5)))).toEqual([]);
    expect(words(store.put(map('x', 4)))).toEqual([]);
    expect(words(store.put(map('x', 10)))).toEqual(['changed x@10']);
  });

  test('compares versions as numbers, not as text', () => {
    const { store } = setUp();
    store.put(map('x', 9));
    expect(words(store.put(map('x', 10)))).toEqual(['changed x@10']);
  });

  test('keeps its index true through changes and removals', () => {
    const { store } = setUp();
    store.put(map('x', 1, { team: 'a' }));
    store.put(map('x', 2, { team: 'b' }));
    expect([store.by('team', 'a').length, store.by('team', 'b').length, store.values('team')]).toEqual([0, 1, ['b']]);
    store.remove(map('x', 3));
    expect(store.values('team')).toEqual([]);
  });

  test('sees another UID under the same name as two objects', () => {
    const { store } = setUp();
    store.put(map('x', 1, { uid: 'first' }));
    expect(words(store.put(map('x', 7, { uid: 'second' })))).toEqual(['removed x@1', 'added x@7']);
    expect(store.getByUid('first')).toBeUndefined();
  });

  test('does not take back a deleted object from a late answer, and forgets about it in time', () => {
    const { store, clock } = setUp();
    store.put(map('x', 1));
    store.remove(map('x', 2));
    expect(words(store.put(map('x', 1)))).toEqual([]);
    clock.now = 200_000;
    store.put(map('y', 3));
    store.remove(map('y', 4));
    expect(words(store.put(map('x', 1)))).toEqual(['added x@1']);
  });

  test('also when the deletion was seen before the creation', () => {
    const { store } = setUp();
    store.remove(map('x', 2));
    expect(words(store.put(map('x', 1)))).toEqual([]);
  });

  test('takes back an object that left only the selector, once it is newer than its leaving', () => {
    const { store } = setUp();
    store.put(map('x', 1));
    store.remove(map('x', 5));
    expect(words(store.put(map('x', 4)))).toEqual([]);
    expect(words(store.put(map('x', 6)))).toEqual(['added x@6']);
    expect(words(store.replace([], '9'))).toEqual(['removed x@6']);
    expect(words(store.put(map('x', 8)))).toEqual([]);
    expect(words(store.replace([map('x', 10)], '11'))).toEqual(['added x@10']);
  });

  test('takes nothing of an object that is known to be deleted, whatever its version', () => {
    const { store } = setUp();
    store.put(map('x', 1));
    store.remove(map('x', 1), { deleted: true });
    expect(words(store.put(map('x', 2)))).toEqual([]);
    store.remove(map('x', 3));
    expect(words(store.put(map('x', 4)))).toEqual([]);
  });

  test('hears late or twice that an object left, and keeps it when it is back', () => {
    const { store } = setUp();
    store.put(map('x', 1));
    store.remove(map('x', 5));
    store.put(map('x', 6));
    expect(words(store.remove(map('x', 5)))).toEqual([]);
    expect(words(store.remove(map('x', 7)))).toEqual(['removed x@6']);
  });

  test('a list removes what it lacks, but not what was written while it was on its way', () => {
    const { store } = setUp();
    store.put(map('gone', 1));
    store.put(map('kept', 2));
    store.put(map('own', 12));
    expect(words(store.replace([map('kept', 2), map('new', 8)], '10'))).toEqual(['removed gone@1', 'added new@8']);
    expect(store.size).toBe(3);
  });

  test('after a restored backup the list is taken as it is', () => {
    const { store } = setUp();
    store.put(map('x', 100));
    store.put(map('y', 101));
    const changes = store.replace([map('x', 3)], '5', true);
    expect(words(changes)).toEqual(['removed x@100', 'removed y@101', 'added x@3']);
  });
});
