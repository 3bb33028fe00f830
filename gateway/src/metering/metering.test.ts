import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BrowserSession } from '@podwright/api/kinds/session';
import { type RedisServer, startRedisServer } from '@podwright/runs/testing/redis-server';
import { browserCost, pricePerHour } from './browser-cost.ts';
import { createCostLedger, daysOfMonthUntil } from './cost-ledger.ts';

const at = (time: string): number => Date.parse(`2026-03-02T${time}Z`);
const session = (status: object): BrowserSession => ({ status }) as unknown as BrowserSession;

describe('what a browser costs', () => {
  const started = { startedAt: '2026-03-02T10:00:00Z' };
  test.each([
    ['nothing before it has a pod', {}, at('11:00:00'), 0],
    ['an hour at the price of its pool', started, at('11:00:00'), 60_000],
    ['to the instant its stop was latched', { ...started, stoppingAt: '2026-03-02T10:30:00Z' }, at('12:00:00'), 30_000],
    ['to its end when it failed', { ...started, endedAt: '2026-03-02T10:15:00Z' }, at('12:00:00'), 15_000],
    ['nothing when clocks disagree', started, at('09:00:00'), 0],
    ['whole micro-dollars', started, at('10:00:01'), 16],
  ])('%s', (_name, status, until, expected) => {
    expect(browserCost(session(status), 60_000, until)).toBe(expected);
  });
  test('a pool without a price has the default one', () => {
    expect(pricePerHour(undefined)).toBe(60_000);
  });
});

describe('the ledger', () => {
  let server: RedisServer;
  let redis: Redis;
  beforeAll(async () => {
    server = await startRedisServer();
    redis = new Redis(server.url);
  });
  afterAll(async () => {
    redis.disconnect();
    await server.close();
  });
  beforeEach(() => redis.flushall());

  test('books an increase once, whoever repeats it and in whichever order', async () => {
    const ledger = createCostLedger({ redis });
    for (const total of [100, 100, 250, 180]) await ledger.checkpoint('t', 'browser', 'uid', total, at('10:00:00'));
    await Promise.all([1, 2, 3].map(() => ledger.checkpoint('t', 'model', 'run', 40, at('10:00:00'))));
    expect(await ledger.totals('t')).toEqual({ browser: 250, model: 40, egress: 0, storage: 0 });
    expect(await ledger.spent('t', at('23:00:00'))).toEqual({ today: 290, thisMonth: 290 });
    expect(await ledger.booked('t', 'browser', 'uid')).toBe(250);
  });

  test('keeps days apart and adds up the month', async () => {
    const ledger = createCostLedger({ redis });
    await ledger.checkpoint('t', 'model', 'a', 100, at('10:00:00') - 24 * 3600_000);
    await ledger.checkpoint('t', 'model', 'b', 10, at('10:00:00'));
    await ledger.checkpoint('t', 'model', 'c', 5, at('10:00:00') - 2 * 24 * 3600_000);
    expect(await ledger.spent('t', at('10:00:00'))).toEqual({ today: 10, thisMonth: 110 });
  });

  test('a month begins on its first day', () => {
    expect(daysOfMonthUntil(at('00:00:00'))).toEqual(['2026-03-01', '2026-03-02']);
  });
});
