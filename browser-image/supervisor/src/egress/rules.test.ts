import { describe, expect, test } from 'vitest';
import type { PodEgressFloor } from '@podwright/api/pod-door';
import { coversPattern, matchesHost, normalHost } from './host-pattern.ts';
import { type EgressRules, type SessionEgress, judgeAddresses, judgeName, widerThanFloor } from './rules.ts';

const floor = (more: Partial<PodEgressFloor> = {}): PodEgressFloor => ({
  egress: 'Public',
  allowedHosts: [],
  allowInternal: [],
  clusterCidrs: ['10.96.0.0/12'],
  ...more,
});
const session = (egress: SessionEgress['egress'] = 'Public', ...allowedHosts: string[]): SessionEgress => ({
  egress,
  allowedHosts,
});
const judge = (rules: EgressRules, host: string, port: number, ...addresses: string[]): string => {
  const byName = judgeName(rules, host, port);
  if (!byName.allowed) return byName.because;
  const byAddress = judgeAddresses(rules, { host, port, byCidr: byName.byCidr }, addresses);
  return byAddress.allowed ? 'allowed' : byAddress.because;
};
const PUBLIC = '93.184.216.34';
const SHOP = { host: 'shop.demo.svc.cluster.local', ports: [80] };

describe('a destination', () => {
  test.each<[string, EgressRules, string, number, string[], string | RegExp]>([
    ['is refused before binding', { floor: floor(), session: undefined }, 'a.example', 443, [PUBLIC], /no session/],
    ['is allowed when public', { floor: floor(), session: session() }, 'a.example', 443, [PUBLIC], 'allowed'],
    ['is refused when private', { floor: floor(), session: session() }, 'a.example', 443, ['10.1.1.1'], /private/],
    [
      'is refused when one answer is',
      { floor: floor(), session: session() },
      'a.example',
      443,
      [PUBLIC, '10.1.1.1'],
      /private/,
    ],
    ['is refused without an address', { floor: floor(), session: session() }, 'a.example', 443, [], /no address/],
    ['is refused on loopback', { floor: floor(), session: session() }, 'localhost', 9222, ['127.0.0.1'], /loopback/],
    [
      'of an allow-list passes',
      { floor: floor(), session: session('Allowlist', '*.a.example') },
      'x.a.example',
      443,
      [PUBLIC],
      'allowed',
    ],
    [
      'outside an allow-list does not',
      { floor: floor(), session: session('Allowlist', '*.a.example') },
      'a.example',
      443,
      [PUBLIC],
      /not among/,
    ],
    [
      'of an allow-list is still checked',
      { floor: floor(), session: session('Allowlist', 'a.example') },
      'a.example',
      443,
      ['169.254.169.254'],
      /linkLocal/,
    ],
    [
      'must pass the pool as well',
      {
        floor: floor({ egress: 'Allowlist', allowedHosts: ['b.example'] }),
        session: session('Allowlist', 'a.example'),
      },
      'a.example',
      443,
      [PUBLIC],
      /not among/,
    ],
    [
      'is refused without egress',
      { floor: floor(), session: session('None') },
      'a.example',
      443,
      [PUBLIC],
      /no way out/,
    ],
    [
      'inside passes when opened by host',
      { floor: floor({ allowInternal: [SHOP] }), session: session('None') },
      SHOP.host,
      80,
      ['10.97.1.1'],
      'allowed',
    ],
    [
      'inside passes for its ports only',
      { floor: floor({ allowInternal: [SHOP] }), session: session() },
      SHOP.host,
      8080,
      ['10.97.1.1'],
      /private/,
    ],
    [
      'inside is not opened by a session',
      { floor: floor(), session: session('Allowlist', SHOP.host) },
      SHOP.host,
      80,
      ['10.97.1.1'],
      /private/,
    ],
    [
      'inside passes when opened by address',
      { floor: floor({ allowInternal: [{ cidr: '10.97.0.0/16', ports: [80] }] }), session: session() },
      'x.internal',
      80,
      ['10.97.1.1'],
      'allowed',
    ],
    [
      'inside by address needs every answer there',
      { floor: floor({ allowInternal: [{ cidr: '10.97.0.0/16', ports: [80] }] }), session: session('None') },
      'x.internal',
      80,
      ['10.97.1.1', PUBLIC],
      /not among/,
    ],
    [
      'opened by host is never loopback',
      { floor: floor({ allowInternal: [SHOP] }), session: session() },
      SHOP.host,
      80,
      ['127.0.0.1'],
      /no browser reaches/,
    ],
    [
      'opened by address is never metadata',
      { floor: floor({ allowInternal: [{ cidr: '169.254.0.0/16', ports: [80] }] }), session: session() },
      '169.254.169.254',
      80,
      ['169.254.169.254'],
      /no browser reaches/,
    ],
    [
      'with a trailing dot is the same name',
      { floor: floor(), session: session('Allowlist', 'a.example') },
      'A.Example.',
      443,
      [PUBLIC],
      'allowed',
    ],
  ])('%s', (_, rules, host, port, addresses, expected) => {
    if (typeof expected === 'string') expect(judge(rules, host, port, ...addresses)).toBe(expected);
    else expect(judge(rules, host, port, ...addresses)).toMatch(expected);
  });

  test('that is refused by name is refused before it is resolved', () => {
    expect(
      judgeName({ floor: floor(), session: session('Allowlist', 'a.example') }, 'secret.evil.example', 443),
    ).toMatchObject({
      allowed: false,
    });
  });
});

describe('wishes of a session against the floor of its pool', () => {
  test.each<[string, PodEgressFloor, SessionEgress, boolean]>([
    ['Public on Public', floor(), session('Public'), true],
    ['Allowlist on Public', floor(), session('Allowlist', 'a.example'), true],
    ['Public on Allowlist', floor({ egress: 'Allowlist', allowedHosts: ['a.example'] }), session('Public'), false],
    [
      'a host of the pool',
      floor({ egress: 'Allowlist', allowedHosts: ['*.a.example'] }),
      session('Allowlist', 'x.a.example'),
      true,
    ],
    [
      'another host',
      floor({ egress: 'Allowlist', allowedHosts: ['*.a.example'] }),
      session('Allowlist', 'b.example'),
      false,
    ],
    ['anything on None', floor({ egress: 'None' }), session('Allowlist', 'a.example'), false],
    ['None on None', floor({ egress: 'None' }), session('None'), true],
  ])('%s: %s', (_, pool, wish, narrows) => {
    expect(widerThanFloor(pool, wish) === undefined).toBe(narrows);
  });
});

describe('host patterns', () => {
  test.each([
    ['a.example', 'a.example', true],
    ['A.example', 'a.example', true],
    ['a.example', 'x.a.example', false],
    ['*.a.example', 'x.a.example', true],
    ['*.a.example', 'x.y.a.example', true],
    ['*.a.example', 'a.example', false],
    ['*.a.example', 'evila.example', false],
  ])('%s stands for %s: %s', (pattern, host, expected) => {
    expect(matchesHost(pattern, normalHost(host))).toBe(expected);
  });

  test.each([
    ['*.example', '*.a.example', true],
    ['*.a.example', '*.a.example', true],
    ['*.a.example', '*.example', false],
    ['a.example', '*.a.example', false],
  ])('%s covers %s: %s', (outer, inner, expected) => {
    expect(coversPattern(outer, inner)).toBe(expected);
  });
});
