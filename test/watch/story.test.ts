import { expect, test } from 'vitest';
import { type Telling, problemsOf } from './story.ts';

const told = (type: Telling['type'], uid: string, resourceVersion: number): Telling => ({
  type,
  name: 'a',
  uid,
  resourceVersion: String(resourceVersion),
});
const a = (uid: string, resourceVersion: number) => [{ name: 'a', uid, resourceVersion: String(resourceVersion) }];

test.each<[string, Telling[], { name: string; uid: string; resourceVersion: string }[], string[]]>([
  ['nothing', [], [], []],
  ['a life', [told('added', 'x', 1), told('changed', 'x', 2), told('removed', 'x', 3)], [], []],
  ['two lives', [told('added', 'x', 1), told('removed', 'x', 3), told('added', 'y', 4)], a('y', 4), []],
  [
    'a name that passes on',
    [told('added', 'x', 1), told('changed', 'y', 4)],
    a('y', 4),
    ['a was changed as another object of that name'],
  ],
  ['an addition twice', [told('added', 'x', 1), told('added', 'x', 1)], a('x', 1), ['a was added twice']],
  ['a step back', [told('added', 'x', 4), told('changed', 'x', 3)], a('x', 3), ['a went back in time']],
  ['a change twice', [told('added', 'x', 3), told('changed', 'x', 3)], a('x', 3), ['a change of a was told twice']],
  ['a change of nothing', [told('changed', 'x', 3)], [], ['a was changed without being there']],
  ['an end that was kept quiet', [told('added', 'x', 3)], [], ['that a is gone was not told']],
  ['a last change that was kept quiet', [told('added', 'x', 3)], a('x', 4), ['the last change of a was not told']],
  ['an object that was kept quiet', [], a('x', 4), ['a was never told']],
])('%s', (_name, story, final, expected) => {
  // The end of a changed name shows as told; only the way there was wrong.
  expect(problemsOf(story, final)).toEqual(expected);
});
