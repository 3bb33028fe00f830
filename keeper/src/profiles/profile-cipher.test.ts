import { describe, expect, test } from 'vitest';
import type { WrappingKey } from './key-ring.ts';
import { SealError, newDataKey, sealState, unsealState, unwrapDataKey, wrapDataKey } from './profile-cipher.ts';

const wrapping = { kid: 'k1', key: Buffer.alloc(32, 7) };
const ringOf = (...all: WrappingKey[]) => ({ all, find: (kid: string) => all.find((key) => key.kid === kid) });
const state = Buffer.from('{"cookies":[],"origins":[]}');

describe('a sealed state', () => {
  const dataKey = newDataKey();
  const sealed = sealState(dataKey, 'uid-1', 3, state);

  test('opens as the version of the profile that it is', () => {
    expect(unsealState(dataKey, 'uid-1', 3, sealed)).toEqual(state);
  });

  test('differs each time, for the nonce is new', () => {
    expect(sealState(dataKey, 'uid-1', 3, state)).not.toEqual(sealed);
  });

  test('shows nothing of the state', () => {
    expect(sealed.includes(Buffer.from('cookies'))).toBe(false);
  });

  const wrong: [string, () => Buffer][] = [
    ['as another version', () => unsealState(dataKey, 'uid-1', 2, sealed)],
    ['as another profile', () => unsealState(dataKey, 'uid-2', 3, sealed)],
    ['with another key', () => unsealState(newDataKey(), 'uid-1', 3, sealed)],
    ['cut short', () => unsealState(dataKey, 'uid-1', 3, sealed.subarray(0, -1))],
    ['nearly empty', () => unsealState(dataKey, 'uid-1', 3, Buffer.from('PWS1'))],
    [
      'without its mark',
      () => unsealState(dataKey, 'uid-1', 3, Buffer.concat([Buffer.from('XXXX'), sealed.subarray(4)])),
    ],
  ];
  test.each(wrong)('does not open %s', (_how, open) => {
    expect(open).toThrow(SealError);
  });

  test('does not open when any one byte was changed', () => {
    for (let at = 4; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = changed[at]! ^ 1;
      expect(() => unsealState(dataKey, 'uid-1', 3, changed)).toThrow(SealError);
    }
  });
});

describe('a wrapped data key', () => {
  const dataKey = newDataKey();
  const wrapped = wrapDataKey(wrapping, 'uid-1', dataKey);

  test('comes back with the key that wrapped it', () => {
    expect(unwrapDataKey(ringOf(wrapping), 'uid-1', wrapped)).toEqual(dataKey);
  });

  test('comes back with a key that was current before', () => {
    const next = { kid: 'k2', key: Buffer.alloc(32, 8) };
    expect(unwrapDataKey(ringOf(next, wrapping), 'uid-1', wrapped)).toEqual(dataKey);
  });

  test('is of no use to another profile', () => {
    expect(() => unwrapDataKey(ringOf(wrapping), 'uid-2', wrapped)).toThrow(SealError);
  });

  test('says which key it needs when another is held', () => {
    expect(() => unwrapDataKey(ringOf({ kid: 'k2', key: wrapping.key }), 'uid-1', wrapped)).toThrow(/k1.*k2/);
  });

  test('does not open with another key of the same name', () => {
    expect(() => unwrapDataKey(ringOf({ kid: 'k1', key: Buffer.alloc(32, 8) }), 'uid-1', wrapped)).toThrow(SealError);
  });
});
