import { describe, expect, test } from 'vitest';
import { STORAGE_STATE_MAX_BYTES, type StorageOrigin, type StorageState } from '@podwright/api/storage-state';
import { createHeldOrigins } from './held-origins.ts';

const origin = (name: string, value = 'v', over: Partial<StorageOrigin> = {}): StorageOrigin => ({
  origin: `https://${name}.example`,
  localStorage: [{ name: 'n', value }],
  ...over,
});
const record = (value: unknown) => ({
  indexedDB: [
    { name: 'd', version: 1, stores: [{ name: 's', autoIncrement: true, indexes: [], records: [{ value }] }] },
  ],
});
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

describe('an origin', () => {
  test.each<[string, StorageOrigin, string | undefined, boolean]>([
    ['with something is held', origin('a'), undefined, true],
    ['with nothing is not', origin('a', '', { localStorage: [] }), undefined, false],
    ['of no origin is refused', { ...origin('a'), origin: 'file:///etc' }, 'malformed', false],
    ['with half a state is too large', origin('a', 'x'.repeat(STORAGE_STATE_MAX_BYTES / 2)), 'too large', false],
    ['with endless nesting is too large', origin('a', 'v', record(nested(98))), 'too large', false],
    ['with millions of values is too large', origin('a', 'v', record(Array(300_000).fill(1))), 'too large', false],
  ])('%s', (_name, found, refused, isHeld) => {
    const held = createHeldOrigins();
    expect(held.put(found)).toBe(refused);
    expect(held.has(found.origin)).toBe(isHeld);
  });

  test('that holds nothing any more is given up', () => {
    const held = createHeldOrigins();
    held.put(origin('a'));
    held.put(origin('a', '', { localStorage: [] }));
    expect(held.names()).toEqual([]);
  });
});

describe('a state', () => {
  const cookies: StorageState['cookies'] = [];
  const assembled = (held: ReturnType<typeof createHeldOrigins>, order: string[]) => {
    const { text, left } = held.assemble({ cookies, order });
    const state = JSON.parse(`{${text}}`) as StorageState;
    return { origins: state.origins.map((one) => one.origin), left, bytes: text.length };
  };

  test('has its origins in the order that was asked for', () => {
    const held = createHeldOrigins();
    for (const name of ['a', 'b', 'c']) held.put(origin(name));
    const order = ['https://c.example', 'https://unknown.example', 'https://a.example', 'https://b.example'];
    expect(assembled(held, order).origins).toEqual(['https://c.example', 'https://a.example', 'https://b.example']);
  });

  test('that does not fit leaves out the last, and stays within what a keeper takes', () => {
    const held = createHeldOrigins();
    for (const name of ['a', 'b', 'c']) held.put(origin(name, 'x'.repeat(7_000_000)));
    held.put(origin('d'));
    const { origins, left, bytes } = assembled(held, held.names());
    expect(origins).toEqual(['https://a.example', 'https://b.example', 'https://d.example']);
    expect(left).toBe(1);
    expect(bytes).toBeLessThan(STORAGE_STATE_MAX_BYTES);
  });
});
