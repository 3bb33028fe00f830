import type { MicroUsd } from '@podwright/api/money';
import { REDIS } from '@podwright/api/names';
import { createScript } from '@podwright/runs/script';
import type { Redis } from 'ioredis';

/** `browser` is time, `model` is tokens. Egress and storage join when they are charged. */
export const COST_COMPONENTS = ['browser', 'model', 'egress', 'storage'] as const;
export type CostComponent = (typeof COST_COMPONENTS)[number];

/** Costs of tenants by day, and for ever. Fed with cumulative values, so that a repeat books nothing twice. */
export interface CostLedger {
  /** `total` is what `what` has cost so far; only the increase is booked, on the day of `at`. */
  checkpoint(tenant: string, component: CostComponent, what: string, total: MicroUsd, at: number): Promise<void>;
  spent(tenant: string, at: number): Promise<{ today: MicroUsd; thisMonth: MicroUsd }>;
  /** Since the ledger began, by component. */
  totals(tenant: string): Promise<Record<CostComponent, MicroUsd>>;
  /** What one thing was last booked with. */
  booked(tenant: string, component: CostComponent, what: string): Promise<MicroUsd>;
}

/**
 * KEYS checkpoints, costs of the day, costs for ever · ARGV field, total, component, life of a day's record in seconds
 * All keys carry the tenant's hash tag. Returns the increase that was booked.
 */
const BOOK = `
local before = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0')
local increase = tonumber(ARGV[2]) - before
if increase <= 0 then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HINCRBY', KEYS[2], ARGV[3], increase)
redis.call('EXPIRE', KEYS[2], ARGV[4])
redis.call('HINCRBY', KEYS[3], ARGV[3], increase)
return increase
`;
const EVER = 'ever';
const DAY_LIFE_SECONDS = 400 * 24 * 3600;

export function createCostLedger(options: { redis: Redis }): CostLedger {
  const { redis } = options;
  const book = createScript(redis, BOOK);
  return {
    async checkpoint(tenant, component, what, total, at) {
      await book(
        [REDIS.costCheckpoints(tenant), REDIS.tenantCost(tenant, dayOf(at)), REDIS.tenantCost(tenant, EVER)],
        [`${what}:${component}`, Math.floor(total), component, DAY_LIFE_SECONDS],
      );
    },
    async spent(tenant, at) {
      const days = daysOfMonthUntil(at);
      const hashes = await Promise.all(days.map((day) => redis.hgetall(REDIS.tenantCost(tenant, day))));
      const sums = hashes.map((hash) => Object.values(hash).reduce((sum, value) => sum + Number(value), 0));
      return { today: sums.at(-1) ?? 0, thisMonth: sums.reduce((sum, value) => sum + value, 0) };
    },
    async totals(tenant) {
      const hash = await redis.hgetall(REDIS.tenantCost(tenant, EVER));
      return Object.fromEntries(COST_COMPONENTS.map((name) => [name, Number(hash[name] ?? 0)])) as Record<
        CostComponent,
        MicroUsd
      >;
    },
    async booked(tenant, component, what) {
      return Number((await redis.hget(REDIS.costCheckpoints(tenant), `${what}:${component}`)) ?? 0);
    },
  };
}

/** UTC day, `2026-01-31`. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

export function daysOfMonthUntil(at: number): string[] {
  const today = new Date(at).getUTCDate();
  const month = dayOf(at).slice(0, 8);
  return Array.from({ length: today }, (_, index) => `${month}${String(index + 1).padStart(2, '0')}`);
}
