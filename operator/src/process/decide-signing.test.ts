import type { PublicKeySet } from '@podwright/api/tokens';
import { describe, expect, test } from 'vitest';
import { type SigningObservation, decideSigning } from './decide-signing.ts';

const NOW = 1_000_000;
const key = (kid: string) => ({ kid, pem: '' });
const keys = (...gateway: string[]): PublicKeySet => ({
  operator: [key('o1')],
  gateway: gateway.map(key),
  keeper: [key('k1')],
});
const old = new Set(['o1', 'g1', 'k1']);
const both = new Set(['o1', 'g1', 'g2', 'k1']);

const gatewayKey = (over: Partial<SigningObservation>): string | undefined =>
  decideSigning({
    now: NOW,
    keys: keys('g1', 'g2'),
    pods: [],
    released: { gateway: 'g1' },
    listedSince: new Map([['g2', NOW - 60_000]]),
    ...over,
  }).released.gateway;

describe('the key of an issuer', () => {
  test.each<[string, Partial<SigningObservation>, string]>([
    ['is the only one there is', { keys: keys('g1'), released: {}, listedSince: new Map() }, 'g1'],
    ['is the oldest before anything was released', { released: {}, listedSince: new Map() }, 'g1'],
    ['is the new one when every pod lists it', { pods: [both, both] }, 'g2'],
    ['is the new one when there is no pod', { pods: [] }, 'g2'],
    ['is the old one while a single pod does not list the new', { pods: [both, old, both] }, 'g1'],
    ['is the old one until the new has been listed for a while', { pods: [both], listedSince: new Map() }, 'g1'],
    ['stays the new one when a late pod does not list it', { released: { gateway: 'g2' }, pods: [old] }, 'g2'],
    ['is what is left when the released one was taken away', { keys: keys('g2'), released: { gateway: 'g1' } }, 'g2'],
    [
      'skips a key that is passed over by a newer one',
      { keys: keys('g1', 'g2', 'g3'), pods: [new Set(['o1', 'k1', 'g1', 'g3'])], listedSince: new Map([['g3', 0]]) },
      'g3',
    ],
  ])('%s', (_, over, expected) => {
    expect(gatewayKey(over)).toBe(expected);
  });

  test('that a pod stopped listing begins to wait again', () => {
    const observation = { now: NOW, keys: keys('g1', 'g2'), released: { gateway: 'g1' } as const };
    const seen = decideSigning({ ...observation, pods: [old], listedSince: new Map([['g2', 0]]) });
    expect(seen.waiting).toBe(true);
    const later = decideSigning({
      ...observation,
      ...seen,
      released: observation.released,
      pods: [both],
      now: NOW + 1,
    });
    expect(later.released.gateway).toBe('g1');
    expect(later.listedSince.get('g2')).toBe(NOW + 1);
  });
});
