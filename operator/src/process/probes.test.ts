import type { Client } from '@podwright/kube/client';
import { startHealthServer } from '@podwright/kube/health-server';
import { KubeError } from '@podwright/kube/kube-error';
import { type ReflectorHealth, startReflector } from '@podwright/kube/reflector';
import { RESOURCE } from '@podwright/kube/resource';
import { Registry } from 'prom-client';
import { afterEach, expect, test } from 'vitest';
import { createProbes } from './probes.ts';

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

async function serve(health: () => ReflectorHealth[]) {
  const server = await startHealthServer({ port: 0, registry: new Registry(), ...createProbes(health) });
  endings.push(() => server.stop());
  return async (path: string): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
    const text = (await response.text()).trim();
    return response.ok ? String(response.status) : `${response.status} ${text}`;
  };
}

/** A reflector on a client whose answers are made up, and a clock to move. */
function reflect(client: Partial<Client>) {
  const clock = { skippedMs: 0 };
  const log = { info() {}, warn() {}, error() {} };
  const monotonic = (): number => performance.now() + clock.skippedMs;
  const options = { client: client as Client, resource: RESOURCE.configMaps, now: Date.now, log, monotonic };
  const reflector = startReflector(options);
  endings.push(() => Promise.race([reflector.stop(), new Promise<void>((resolve) => setTimeout(resolve, 100))]));
  return { reflector, clock };
}

const soon = (probe: () => boolean): Promise<void> => expect.poll(probe, { timeout: 2_000 }).toBe(true);
const listed = { items: [], resourceVersion: '5' };
const never = new Promise<never>(() => {});

test('a watch that hangs beyond every deadline of its own makes the process unhealthy', async () => {
  // As if the HTTP client had lost it: no event, no end, no timeout, and no abort either.
  const { reflector, clock } = reflect({
    list: async () => ({ items: [], resourceVersion: '5' }),
    watch: () => ({ [Symbol.asyncIterator]: () => ({ next: () => never }) }),
  });
  const probe = await serve(() => [reflector.health()]);
  await soon(() => reflector.health().synced);
  clock.skippedMs = 140_000;
  expect(await probe('/healthz')).toBe('200');
  clock.skippedMs = 160_000;
  expect(await probe('/healthz')).toBe('503 stuck watches: ConfigMap');
});

test('a list that hangs does the same', async () => {
  const { reflector, clock } = reflect({ list: () => never });
  const probe = await serve(() => [reflector.health()]);
  expect(await probe('/healthz')).toBe('200');
  clock.skippedMs = 160_000;
  expect(await probe('/healthz')).toBe('503 stuck watches: ConfigMap');
});

test.each([
  ['refuses', new KubeError(403, 'Forbidden', 'no')],
  ['does not know the kind', new KubeError(404, 'NotFound', 'what?')],
  ['errs', new KubeError(500, 'InternalError', 'oh')],
  ['is away', new KubeError(0, 'Connection', 'refused')],
])('an API server that %s makes the kind unhealthy in the metric and the process in no probe', async (_what, error) => {
  let refusing = false;
  const { reflector, clock } = reflect({
    async list() {
      if (refusing) throw error;
      return listed;
    },
    async *watch() {
      yield* [];
      throw error;
    },
  });
  const probe = await serve(() => [reflector.health()]);
  await soon(() => reflector.health().synced);
  refusing = true;
  const { restarts } = reflector.health();
  clock.skippedMs = 3_600_000;
  await soon(() => reflector.health().restarts > restarts);
  expect(await probe('/healthz')).toBe('200');
  expect(await probe('/readyz')).toBe('200');
});

test('it is ready when every kind is listed', async () => {
  const health = { kind: 'Pod', synced: false, healthy: false, lastContactAt: 0, restarts: 0, lists: 0 };
  let synced = false;
  const probe = await serve(() => [{ ...health, synced, sinceStepMs: 0, lastError: undefined }]);
  expect(await probe('/readyz')).toBe('503 not listed yet: Pod');
  synced = true;
  expect([await probe('/readyz'), await probe('/metrics'), await probe('/nothing')]).toEqual([
    '200',
    '200',
    '404 not found',
  ]);
});
