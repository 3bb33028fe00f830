import { once } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { type TestPod, startPod } from './testing/pod.ts';
import { until } from './testing/processes.ts';

// Each test starts a browser of its own.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let pod: TestPod;
afterEach(async () => {
  await pod.end();
});
const exitOf = async (): Promise<number> =>
  until('the supervisor to end', () => pod.supervisor.process.exitCode ?? undefined);

test('a pod that a second session claims serves neither and ends itself', async () => {
  pod = await startPod();
  expect((await pod.bind()).status).toBe(200);
  const other = crypto.randomUUID();
  const answer = await fetch(`http://127.0.0.1:${pod.port}/bind`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await pod.token('bind', { subject: other })}` },
    body: JSON.stringify({ sessionUid: other, sessionName: 'b', egress: { egress: 'Public', allowedHosts: [] } }),
  });
  expect(answer.status).toBe(409);
  expect(await exitOf()).toBe(0);
  expect(pod.launcher.stopped).toBe(true);
});

test('a pod that is told to end closes its doors, keeps the state, and ends when it was collected', async () => {
  pod = await startPod();
  await pod.bind();
  const socket = await pod.socket('/cdp', 'cdp');
  await once(socket, 'open');
  const closed = once(socket, 'close');
  pod.supervisor.process.kill('SIGTERM');
  const [code] = (await closed) as [number];
  expect(code).toBe(4001);
  expect((await fetch(`http://127.0.0.1:${pod.port}/readyz`)).status).toBe(503);
  expect((await pod.call('GET', '/cdp/json/list', 'cdp')).status).toBe(409);
  expect((await pod.call('GET', '/files/downloads', 'files')).status).toBe(200);
  expect(await (await pod.call('GET', '/profile', 'profile')).json()).toEqual({
    cookies: [],
    origins: [],
    missing: [],
  });
  expect((await pod.call('POST', '/collected', 'collect')).status).toBe(204);
  expect(await exitOf()).toBe(0);
  expect(pod.launcher.stopped).toBe(true);
});

test('a pod that served nobody ends at once', async () => {
  pod = await startPod();
  pod.supervisor.process.kill('SIGTERM');
  expect(await exitOf()).toBe(0);
});

test('a pod whose sandbox is less than asked for does not get ready', async () => {
  pod = await startPod();
  pod.launcher.facts.sandbox = { ...pod.launcher.facts.sandbox!, found: 'None' };
  await until('the pod to see it', async () => {
    const answer = await fetch(`http://127.0.0.1:${pod.port}/readyz`);
    return answer.status === 503 && (await answer.text()).includes('without a sandbox');
  });
  expect((await pod.status()).ready).toBe(false);
});

test('a pod whose browser dies says so and closes its clients', async () => {
  pod = await startPod();
  await pod.bind();
  const socket = await pod.socket('/cdp', 'cdp');
  await once(socket, 'open');
  const closed = once(socket, 'close');
  await pod.chromium.end('SIGKILL');
  const [code] = (await closed) as [number];
  expect(code).toBe(4006);
  await until('the pod to see it', async () => !(await pod.status()).ready);
});

test('a pod whose browser reaches an internal address reports it', async () => {
  pod = await startPod({ defaults: { canaries: ['10.0.0.1:443', '10.0.0.2:443'] } });
  expect((await pod.status()).isolation).toEqual({ checked: true, reached: [] });
});
