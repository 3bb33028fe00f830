import { describe, expect, test } from 'vitest';
import { type PoolLoad, type TenantLoad, type Waiting, admit } from './admission.ts';

const one = (uid: string, over: Partial<Waiting> = {}): Waiting => ({
  uid,
  tenant: 'a',
  pool: 'ns/p',
  priority: 0,
  createdAt: 1,
  isNew: false,
  whenFull: 'Queue',
  fromManifest: false,
  ...over,
});
const load = (over: Partial<TenantLoad> = {}): TenantLoad => ({
  weight: 1,
  limit: 10,
  queueLimit: 10,
  paused: false,
  active: 0,
  rate: { perMinute: 60, left: 60, nextAt: undefined },
  ...over,
});
const run = (
  waiting: Waiting[],
  tenants: Record<string, TenantLoad>,
  startSlots = 100,
  pools: Record<string, PoolLoad> = {},
): Record<string, string> => {
  const verdicts = admit({
    waiting,
    tenants: new Map(Object.entries(tenants)),
    pools: new Map(Object.entries(pools)),
    startSlots,
  });
  return Object.fromEntries(
    [...verdicts].map(([uid, verdict]) => [
      uid,
      verdict.state === 'waiting'
        ? `${verdict.reason} ${verdict.position}`
        : verdict.state === 'refused'
          ? verdict.reason
          : verdict.state,
    ]),
  );
};

describe('admission', () => {
  test('with room everybody starts', () => {
    expect(run([one('1'), one('2')], { a: load() })).toEqual({ 1: 'admitted', 2: 'admitted' });
  });

  test('the limit of a tenant holds the younger ones, in order', () => {
    expect(
      run([one('3', { createdAt: 3 }), one('2', { createdAt: 2 }), one('1')], { a: load({ limit: 3, active: 2 }) }),
    ).toEqual({ 1: 'admitted', 2: 'TenantFull 1', 3: 'TenantFull 2' });
  });

  test('priority goes before age, within a tenant', () => {
    expect(run([one('old'), one('urgent', { createdAt: 9, priority: 5 })], { a: load({ limit: 1 }) })).toEqual({
      urgent: 'admitted',
      old: 'TenantFull 1',
    });
  });

  test('free slots go to the tenant that has least for its weight', () => {
    const waiting = [
      ...['a1', 'a2', 'a3', 'a4'].map((uid) => one(uid, { tenant: 'a' })),
      ...['b1', 'b2', 'b3', 'b4'].map((uid) => one(uid, { tenant: 'b' })),
    ];
    const verdicts = run(waiting, { a: load({ weight: 1 }), b: load({ weight: 3 }) }, 4);
    const admitted = (tenant: string): number =>
      Object.entries(verdicts).filter(([uid, verdict]) => uid.startsWith(tenant) && verdict === 'admitted').length;
    expect([admitted('a'), admitted('b')]).toEqual([1, 3]);
    expect(verdicts['a2']).toBe('Waiting 1');
  });

  test('a tenant that has much waits behind one that has nothing', () => {
    expect(
      run(
        [one('rich', { tenant: 'a' }), one('poor', { tenant: 'b', createdAt: 99 })],
        { a: load({ active: 5 }), b: load() },
        1,
      ),
    ).toEqual({ poor: 'admitted', rich: 'Waiting 1' });
  });

  test('a full pool holds its own sessions and nobody behind them', () => {
    expect(
      run([one('1'), one('2', { pool: 'ns/other', createdAt: 2 })], { a: load() }, 100, {
        'ns/p': { limit: 1, active: 1 },
      }),
    ).toEqual({ 2: 'admitted', 1: 'PoolFull 1' });
  });

  test('a paused tenant admits nothing', () => {
    expect(run([one('1')], { a: load({ paused: true }) })).toEqual({ 1: 'TenantPaused 1' });
  });

  test('who would rather be refused than wait is refused, once', () => {
    const full = { a: load({ limit: 1, active: 1 }) };
    expect(run([one('1', { isNew: true, whenFull: 'Reject' })], full)).toEqual({ 1: 'Refused' });
    expect(run([one('1', { isNew: false, whenFull: 'Reject' })], full)).toEqual({ 1: 'TenantFull 1' });
  });

  test('the queue has an end, and who stands in it keeps its place', () => {
    expect(
      run([one('1'), one('2', { isNew: true, priority: 9 }), one('3', { isNew: true, createdAt: 3 })], {
        a: load({ limit: 0, queueLimit: 2 }),
      }),
    ).toEqual({ 2: 'TenantFull 1', 1: 'TenantFull 2', 3: 'QueueFull' });
  });

  test('manifests beyond the creates per minute wait, and hold up neither the API nor another tenant', () => {
    const rate = { perMinute: 2, left: 1, nextAt: 5_000 };
    expect(
      run(
        [
          one('m1', { fromManifest: true }),
          one('m2', { fromManifest: true, createdAt: 2 }),
          one('m3', { fromManifest: true, createdAt: 3 }),
          one('api', { createdAt: 4 }),
          one('b1', { tenant: 'b', fromManifest: true }),
        ],
        { a: load({ rate }), b: load() },
      ),
    ).toEqual({ m1: 'admitted', m2: 'CreateRate 1', m3: 'CreateRate 2', api: 'admitted', b1: 'admitted' });
  });

  test('and say until when, and what to do', () => {
    const rate = { perMinute: 2, left: 0, nextAt: 5_000 };
    const tenants = new Map([['a', load({ rate })]]);
    const waiting = [one('m', { fromManifest: true, isNew: true })];
    const verdict = admit({ waiting, tenants, pools: new Map(), startSlots: 9 }).get('m');
    expect(verdict).toMatchObject({ state: 'waiting', reason: 'CreateRate', until: 5_000 });
    expect(verdict?.state === 'waiting' && verdict.message).toMatch(/limits\.createsPerMinute.*in its turn/);
  });

  test('they are refused where the tenant would rather be refused than wait', () => {
    const rate = { perMinute: 2, left: 0, nextAt: 5_000 };
    expect(run([one('m', { fromManifest: true, isNew: true, whenFull: 'Reject' })], { a: load({ rate }) })).toEqual({
      m: 'Refused',
    });
  });

  test('a tenant that is full, however many wait, holds up nobody of another', () => {
    const crowd = Array.from({ length: 500 }, (_one, index) => one(`a${index}`, { priority: 1_000 }));
    const verdicts = run(
      [...crowd, one('b', { tenant: 'b', createdAt: 999 })],
      { a: load({ active: 10 }), b: load() },
      1,
    );
    expect(verdicts['b']).toBe('admitted');
    expect(verdicts['a0']).toMatch(/^TenantFull/);
  });

  test('every reason to wait says what would help', () => {
    const reasons: Record<string, RegExp> = {
      TenantFull: /limits\.concurrentSessions.*when one of them ends/,
      TenantPaused: /spec\.paused/,
      PoolFull: /ns\/p.*maxSessions.*when one of them ends/,
      Waiting: /start slot/,
    };
    const tenants = { full: load({ active: 10 }), paused: load({ paused: true }), pool: load(), slow: load() };
    const waiting = Object.keys(tenants).map((tenant) =>
      one(tenant, { tenant, ...(tenant !== 'pool' && { pool: 'x' }) }),
    );
    const verdicts = admit({
      waiting,
      tenants: new Map(Object.entries(tenants)),
      pools: new Map([['ns/p', { limit: 1, active: 1 }]]),
      startSlots: 0,
    });
    const messages = [...verdicts.values()].map((verdict) =>
      verdict.state === 'waiting' ? [verdict.reason, verdict.message] : [],
    );
    for (const [reason, message] of messages) expect(message, reason).toMatch(reasons[reason!]!);
    expect(messages).toHaveLength(4);
  });
});
