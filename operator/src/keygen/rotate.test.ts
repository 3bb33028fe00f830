import { describe, expect, test } from 'vitest';
import { rotate } from './rotate.ts';

const first = { 'private.pem': 'pem-1', kid: 'k1' };
const makeKey = () => ({ 'private.pem': 'pem-new', kid: 'new' });

describe('a rotation', () => {
  test.each([1, 0])('to generation %d of the first keys changes nothing', (generation) => {
    expect(rotate({ held: first, generation, released: 'k1', makeKey })).toBeUndefined();
  });

  test('adds a key that is next, and keeps the one that signs', () => {
    expect(rotate({ held: first, generation: 2, released: 'k1', makeKey })).toEqual({
      dropped: undefined,
      data: { ...first, 'link.key': 'pem-1', 'next.pem': 'pem-new', 'next.kid': 'new', generation: '2' },
    });
  });

  const second = { ...first, 'link.key': 'pem-1', 'next.pem': 'pem-2', 'next.kid': 'k2', generation: '2' };

  test('after it promotes the next one and drops the oldest; links stay', () => {
    expect(rotate({ held: second, generation: 3, released: 'k2', makeKey })).toEqual({
      dropped: 'k1',
      data: {
        'private.pem': 'pem-2',
        kid: 'k2',
        'link.key': 'pem-1',
        'next.pem': 'pem-new',
        'next.kid': 'new',
        generation: '3',
      },
    });
  });

  test('done twice is done once', () => {
    expect(rotate({ held: second, generation: 2, released: 'k1', makeKey })).toBeUndefined();
  });

  test('is refused while the last one is not through', () => {
    expect(() => rotate({ held: second, generation: 3, released: 'k1', makeKey })).toThrow('k2 is not in use yet');
  });
});
