import { describe, expect, test } from 'vitest';
import { planReading } from './plan-reading.ts';

const plan = (facts: { uses?: [string, number][]; open?: string[]; readAt?: [string, number][]; held?: string[] }) =>
  planReading({
    uses: new Map(facts.uses),
    open: new Set(facts.open),
    readAt: new Map(facts.readAt),
    held: facts.held ?? [],
  });

describe('a snapshot reads', () => {
  test('nothing of a browser that was not used', () => {
    expect(plan({ held: ['a', 'b'] })).toEqual({ read: [], order: ['a', 'b'] });
  });

  test('what was used, the last first', () => {
    expect(
      plan({
        uses: [
          ['a', 1],
          ['b', 2],
        ],
      }),
    ).toEqual({ read: ['b', 'a'], order: ['b', 'a'] });
  });

  test('what is open before what was, for it may still change', () => {
    expect(
      plan({
        uses: [
          ['a', 1],
          ['b', 2],
        ],
        open: ['a'],
      }).read,
    ).toEqual(['a', 'b']);
  });

  test('not what was read since its last use', () => {
    expect(
      plan({
        uses: [
          ['a', 1],
          ['b', 2],
        ],
        readAt: [
          ['a', 1],
          ['b', 1],
        ],
      }),
    ).toEqual({
      read: ['b'],
      order: ['b', 'a'],
    });
  });

  test('what is open again, although it was read', () => {
    expect(plan({ uses: [['a', 1]], readAt: [['a', 1]], open: ['a'] }).read).toEqual(['a']);
  });

  test('frames that were never seen as targets', () => {
    expect(plan({ open: ['frame'], held: ['a'] })).toEqual({ read: ['frame'], order: ['frame', 'a'] });
  });
});

test('loaded origins keep their order behind those that were used', () => {
  expect(plan({ uses: [['c', 5]], held: ['a', 'b', 'c'] }).order).toEqual(['c', 'a', 'b']);
});
