import type { ReflectorHealth } from '@podwright/kube/reflector';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { startHealthServer, stuckKinds } from './health-server.ts';

const kind = (name: string, secondsAgo: number, synced = true): ReflectorHealth => ({
  kind: name,
  synced,
  healthy: true,
  lastContactAt: 1_000_000 - secondsAgo * 1000,
  restarts: 0,
  lists: 1,
  lastError: undefined,
});

test.each([
  ['all lively', [kind('A', 1), kind('B', 60)], []],
  ['one silent while others speak is stuck', [kind('A', 1), kind('B', 200)], ['B']],
  [
    'all silent: the API server is gone, and restarting this process helps nobody',
    [kind('A', 200), kind('B', 200)],
    [],
  ],
])('%s', (_name, health, expected) => {
  expect(stuckKinds(health, 1_000_000)).toEqual(expected);
});

test('the probes answer over HTTP', async () => {
  let health = [kind('A', 1, false)];
  const server = await startHealthServer({
    port: 0,
    registry: new Registry(),
    health: () => health,
    now: () => 1_000_000,
  });
  const status = async (path: string): Promise<number> =>
    (await fetch(`http://127.0.0.1:${server.port}${path}`)).status;
  expect([await status('/healthz'), await status('/readyz'), await status('/metrics')]).toEqual([200, 503, 200]);
  health = [kind('A', 1), kind('B', 200)];
  expect([await status('/healthz'), await status('/readyz'), await status('/nothing')]).toEqual([503, 200, 404]);
  await server.stop();
});
