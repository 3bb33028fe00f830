import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { BrowserTenant } from '@podwright/api/kinds/tenant';
import { ApiError } from '@podwright/api/errors';
import { type StoredKey, parseStoredKey } from './api-key.ts';
import { createAuthDoor } from './auth-door.ts';
import { createBadKeyThrottle } from './bad-key-throttle.ts';
import { hasScope, requireScope } from './caller.ts';

const text = `bu_0123456789ab_${'s'.repeat(43)}`;
const hash = createHash('sha256').update(text).digest('hex');
const now = Date.parse('2026-01-01T00:00:00Z');
const tenant = { metadata: { name: 'demo' }, spec: { namespace: 'tenant-demo' } } as unknown as BrowserTenant;

const storedFrom = (data: Record<string, string>): StoredKey | null =>
  parseStoredKey({ id: '0123456789ab', uid: 'u', tenant: 'demo', data: { hash, scopes: 'run,browse', ...data } });

function door(data: Record<string, string> = {}, tenants: BrowserTenant[] = [tenant]) {
  const stored = storedFrom(data);
  return createAuthDoor({
    keys: { find: (id) => (id === '0123456789ab' ? (stored ?? undefined) : undefined) },
    findTenant: (name) => tenants.find((candidate) => candidate.metadata.name === name),
    throttle: createBadKeyThrottle({ limit: 3, now: () => now }),
    now: () => now,
  });
}
const outcome = (act: () => unknown): string => {
  try {
    act();
    return 'ok';
  } catch (error) {
    return error instanceof ApiError ? error.code : 'bug';
  }
};

describe('the auth door', () => {
  test.each([
    ['takes the header of the original', { 'x-browser-use-api-key': text }, {}, 'ok'],
    ['takes a bearer token', { authorization: `Bearer ${text}` }, {}, 'ok'],
    ['refuses a request without a key', {}, {}, 'unauthorized'],
    ['refuses a text that is no key', { 'x-browser-use-api-key': 'bu_test' }, {}, 'unauthorized'],
    ['refuses a wrong secret', { 'x-browser-use-api-key': text.replace('ss', 'tt') }, {}, 'unauthorized'],
    ['refuses an unknown id', { 'x-browser-use-api-key': text.replace('0123', 'ffff') }, {}, 'unauthorized'],
    [
      'refuses an expired key',
      { 'x-browser-use-api-key': text },
      { expiresAt: '2025-12-31T00:00:00Z' },
      'unauthorized',
    ],
    ['takes a key that expires later', { 'x-browser-use-api-key': text }, { expiresAt: '2026-12-31T00:00:00Z' }, 'ok'],
    ['refuses a key whose Secret is broken', { 'x-browser-use-api-key': text }, { hash: 'zz' }, 'unauthorized'],
  ])('%s', (_name, headers, data, expected) => {
    expect(outcome(() => door(data as Record<string, string>).authenticate(headers, '10.0.0.1'))).toBe(expected);
  });

  test('refuses a key whose tenant is gone', () => {
    expect(outcome(() => door({}, []).authenticate({ 'x-browser-use-api-key': text }, 'a'))).toBe('unauthorized');
  });

  test('throttles an address after too many bad keys, and never a good key', () => {
    const guarded = door();
    const bad = { 'x-browser-use-api-key': text.replace('ss', 'tt') };
    const seen = Array.from({ length: 4 }, () => outcome(() => guarded.authenticate(bad, '10.0.0.9')));
    expect(seen).toEqual(['unauthorized', 'unauthorized', 'unauthorized', 'too_many_requests']);
    expect(outcome(() => guarded.authenticate(bad, '10.0.0.10'))).toBe('unauthorized');
    expect(outcome(() => guarded.authenticate({ 'x-browser-use-api-key': text }, '10.0.0.9'))).toBe('ok');
  });

  test('a scope that is missing is named, and admin has them all', () => {
    const caller = door().authenticate({ 'x-browser-use-api-key': text }, 'a');
    expect(hasScope(caller, 'run')).toBe(true);
    expect(() => requireScope(caller, 'control')).toThrow('API key is missing required scope: control');
    const admin = door({ scopes: 'admin' }).authenticate({ 'x-browser-use-api-key': text }, 'a');
    expect(hasScope(admin, 'control')).toBe(true);
  });

  test('cap, profiles and scopes come from the Secret; unknown scopes are dropped', () => {
    const key = storedFrom({ capUsd: '0.50', profiles: 'a, b', scopes: 'view,fly' });
    expect(key).toMatchObject({ capMicroUsd: 500_000, profiles: new Set(['a', 'b']), scopes: new Set(['view']) });
  });
});
