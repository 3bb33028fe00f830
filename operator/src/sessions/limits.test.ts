import type { BrowserPool } from '@podwright/api/kinds/pool';
import type { BrowserSession } from '@podwright/api/kinds/session';
import type { BindRequest } from '@podwright/api/pod-door';
import { describe, expect, test } from 'vitest';
import { pool, session, tenant } from '../testing/objects.ts';
import { egressOf, maxDurationMs, podDeadlineSeconds } from './limits.ts';

type Egress = BindRequest['egress'];
const MINUTE = 60_000;

test.each<[string, string | undefined, object, object, number]>([
  ['without a wish it is an hour', undefined, {}, {}, 60],
  ['the pool may say otherwise', undefined, { lifetime: { maxDuration: '10m' } }, {}, 10],
  ['a wish goes before the default', '2h', {}, {}, 120],
  ['but not over the ceiling of the pool', '3h', { lifetime: { maxDurationCeiling: '90m' } }, {}, 90],
  ['nor over that of the tenant', '3h', {}, { limits: { maxDuration: '30m' } }, 30],
])('maximum duration: %s', (_name, asked, poolSpec, tenantSpec, minutes) => {
  const wish = session({ spec: asked === undefined ? {} : { lifetime: { maxDuration: asked } } });
  expect(maxDurationMs(wish, pool(poolSpec), tenant(tenantSpec))).toBe(minutes * MINUTE);
});

test('the last deadline of a pod leaves room for ours, and counts from its own start', () => {
  expect(podDeadlineSeconds(60 * MINUTE, 0)).toBe(3600 + 600);
  expect(podDeadlineSeconds(60 * MINUTE, 30 * MINUTE)).toBe(1800 + 3600 + 600);
});

describe('what a browser may reach', () => {
  const hosts: Egress = { egress: 'Allowlist', allowedHosts: ['a.example'] };
  test.each<[string, BrowserSession['spec'], Partial<BrowserPool['spec']>, Egress]>([
    ['the pool decides when the session says nothing', {}, { network: hosts }, hosts],
    ['a session narrows it', { network: hosts }, {}, hosts],
    ['to nothing, too', { network: { egress: 'None' } }, {}, { egress: 'None', allowedHosts: [] }],
    [
      'hosts mean nothing to another class',
      {},
      { network: { egress: 'Public' as const, allowedHosts: ['a.example'] } },
      { egress: 'Public', allowedHosts: [] },
    ],
  ])('%s', (_name, spec, poolSpec, expected) => {
    expect(egressOf(session({ spec }), pool(poolSpec))).toEqual(expected);
  });
});
