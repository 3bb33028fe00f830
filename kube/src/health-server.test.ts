import { afterEach, expect, test } from 'vitest';
import { startHealthServer } from './health-server.ts';

let stuck: string | null = null;
let ready = async (): Promise<void> => undefined;
const registry = { contentType: 'text/plain; version=0.0.4', metrics: async () => 'one 1\n' };
let server: Awaited<ReturnType<typeof startHealthServer>>;
afterEach(() => server.stop());

async function ask(path: string): Promise<[number, string]> {
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`);
  return [answer.status, (await answer.text()).trim()];
}

test('probes and metrics are answered, and what is wrong is said', async () => {
  server = await startHealthServer({ port: 0, registry, stuck: () => stuck, ready: () => ready() });
  expect(await ask('/healthz?verbose')).toEqual([200, 'ok']);
  expect(await ask('/readyz')).toEqual([200, 'ok']);
  expect(await ask('/metrics')).toEqual([200, 'one 1']);
  expect(await ask('/other')).toEqual([404, 'not found']);

  stuck = 'stuck watches: Pod';
  ready = () => Promise.reject(new Error('the store does not answer'));
  expect(await ask('/healthz')).toEqual([503, 'stuck watches: Pod']);
  expect(await ask('/readyz')).toEqual([503, 'the store does not answer']);
});

test('metrics that cannot be collected are an error of their own', async () => {
  const broken = { ...registry, metrics: () => Promise.reject(new Error('no')) };
  server = await startHealthServer({ port: 0, registry: broken, ready });
  expect((await ask('/metrics'))[0]).toBe(500);
});

test('a port that is taken is told at once', async () => {
  server = await startHealthServer({ port: 0, registry, ready: async () => undefined });
  await expect(startHealthServer({ port: server.port, registry, ready })).rejects.toThrow('EADDRINUSE');
});
