import { expect, test } from 'vitest';
import { ANNOTATION } from '@podwright/api/names';
import { at, condition, session } from '../testing/objects.ts';
import { createManifestRate, isFromManifest } from './manifest-rate.ts';

test('a minute has so many places, and each comes back when its own minute is over', () => {
  const clock = { now: at(0) };
  const rate = createManifestRate({ now: () => clock.now });
  rate.admitted('ns');
  clock.now = at(10);
  rate.admitted('ns');
  expect(rate.stateOf('ns', 3)).toEqual({ perMinute: 3, left: 1, nextAt: undefined });
  expect(rate.stateOf('ns', 2)).toEqual({ perMinute: 2, left: 0, nextAt: at(60) });
  expect(rate.stateOf('other', 2)).toEqual({ perMinute: 2, left: 2, nextAt: undefined });
  clock.now = at(60);
  expect(rate.stateOf('ns', 2).left).toBe(1);
});

test('a limit that was lowered waits for as many as it takes', () => {
  const clock = { now: at(0) };
  const rate = createManifestRate({ now: () => clock.now });
  for (const second of [0, 10, 20]) {
    clock.now = at(second);
    rate.admitted('ns');
  }
  expect(rate.stateOf('ns', 1)).toEqual({ perMinute: 1, left: 0, nextAt: at(80) });
});

test('a limit of zero has no next time', () => {
  expect(createManifestRate({ now: () => at(0) }).stateOf('ns', 0)).toEqual({
    perMinute: 0,
    left: 0,
    nextAt: undefined,
  });
});

test('a new leader counts what the last one admitted, of manifests only', () => {
  const rate = createManifestRate({ now: () => at(30) });
  const admitted = { conditions: [condition('Admitted', 'True', 'Admitted', 5)] };
  const api = session({ metadata: { annotations: { [ANNOTATION.origin]: 'browser' } }, status: admitted });
  rate.inherit(session({ status: admitted }));
  rate.inherit(api);
  rate.inherit(session({ status: { conditions: [condition('Admitted', 'False', 'TenantFull', 5)] } }));
  rate.inherit(session({ status: { conditions: [condition('Admitted', 'True', 'Admitted', -40)] } }));
  expect(rate.stateOf('ns', 10).left).toBe(9);
  expect([isFromManifest(api), isFromManifest(session())]).toEqual([false, true]);
});
