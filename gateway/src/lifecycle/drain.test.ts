import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { createTunnelRegistry } from '../tunnel/tunnel-registry.ts';
import { createDrain } from './drain.ts';

const log = pino({ level: 'silent' });

describe('leaving', () => {
  test('requests are answered while they still come, then tunnels go, then everything closes in order', async () => {
    const order: string[] = [];
    const tunnels = createTunnelRegistry();
    const ended = Promise.withResolvers<void>();
    tunnels.add({
      sessionUid: 'u',
      kind: 'cdp',
      linkHash: null,
      ended: ended.promise,
      close({ code }) {
        order.push(`tunnel ${code}`);
        ended.resolve();
      },
    });
    const startedAt = Date.now();
    const lateUntil = startedAt + 600;
    const drain = createDrain({
      graceMs: 100,
      // Somebody comes for 600 ms after readiness went off: a balancer that has not noticed.
      lastRequestAt: () => Math.min(Date.now(), lateUntil),
      now: Date.now,
      tunnels,
      close: [async () => order.push('server'), async () => order.push('redis')],
      log,
    });
    expect(drain.isDraining()).toBe(false);
    await Promise.all([drain.run(), drain.run()]);
    expect(drain.isDraining()).toBe(true);
    expect(order).toEqual(['tunnel 1001', 'server', 'redis']);
    expect(Date.now() - startedAt).toBeGreaterThan(600 + 2_400);
  });

  test('nobody comes: it leaves when its grace is over', async () => {
    const startedAt = Date.now();
    const drain = createDrain({
      graceMs: 50,
      lastRequestAt: () => 0,
      now: Date.now,
      tunnels: createTunnelRegistry(),
      close: [],
      log,
    });
    await drain.run();
    expect(Date.now() - startedAt).toBeLessThan(1_500);
  });
});
