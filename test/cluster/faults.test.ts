import { LABEL } from '@podwright/api/names';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestTenant, api, createTenant, installation } from '../harness/installation.ts';
import { eventually, kubectl, listObjects } from '../harness/kubectl.ts';

interface Run {
  id: string;
  status: string;
  output: unknown;
  isTaskSuccessful: boolean | null;
  stepCount: number;
}

let tenant: TestTenant;
beforeAll(async () => {
  tenant = await createTenant('fault');
});
afterAll(() => tenant?.remove());

const settled = (id: string) =>
  eventually(
    'the run has ended',
    async () => (await api<Run>(tenant.apiKey, 'GET', `/api/v3/sessions/${id}`)).body,
    (seen) => ['stopped', 'idle', 'error', 'timed_out'].includes(seen.status),
    180_000,
  );
const startRun = async (task: string) => {
  const created = await api<Run>(tenant.apiKey, 'POST', '/api/v3/sessions', { task });
  expect(created.status, JSON.stringify(created.body)).toBe(200);
  return created.body.id;
};
const running = (id: string) =>
  eventually(
    'the run is at work',
    async () => (await api<Run>(tenant.apiKey, 'GET', `/api/v3/sessions/${id}`)).body,
    (seen) => seen.status === 'running' && seen.stepCount >= 1,
    120_000,
  );
const killPods = (component: string) =>
  kubectl(
    'delete',
    'pods',
    '-n',
    installation().namespace,
    '-l',
    `app.kubernetes.io/component=${component}`,
    '--grace-period=0',
    '--force',
  );
const rolledOut = (component: string) =>
  kubectl(
    'wait',
    '--for=condition=Ready',
    'pods',
    '-n',
    installation().namespace,
    '-l',
    `app.kubernetes.io/component=${component}`,
    '--timeout=120s',
  );

describe('a browser that dies', () => {
  test('a killed pod fails the session as PodLost and is not replaced behind its back', async () => {
    await tenant.session('lost');
    const session = await tenant.phase('lost', ['Ready', 'Idle']);
    await kubectl('delete', 'pod', session.status!.podName!, '-n', tenant.namespace, '--grace-period=0', '--force');
    const failed = await tenant.phase('lost', 'Failed', 60_000);
    expect(failed.status?.reason).toBe('PodLost');
    expect(await listObjects('pods', tenant.namespace, `${LABEL.sessionUid}=${session.metadata.uid}`)).toEqual([]);
  });

  test('a crashed Chromium fails the session as BrowserCrashed with its exit facts', async () => {
    await tenant.session('crash');
    const session = await tenant.phase('crash', ['Ready', 'Idle']);
    // Of all processes in the container only the launcher (1) is not Chromium, its display or the VNC server; the oldest chromium is the browser.
    const kill =
      'for p in /proc/[0-9]*; do if grep -qa -- --remote-debugging-port "$p/cmdline" && ! grep -qa -- --type= "$p/cmdline" && [ "${p#/proc/}" != 1 ]; then kill -9 "${p#/proc/}"; fi; done';
    await kubectl('exec', session.status!.podName!, '-n', tenant.namespace, '-c', 'browser', '--', 'sh', '-c', kill);
    const failed = await tenant.phase('crash', 'Failed', 60_000);
    expect(failed.status?.reason).toBe('BrowserCrashed');
  });

  test('a run whose browser is gone ends with a failure kind and a hint, not with a hang', async () => {
    const id = await startRun('slow:60');
    await running(id);
    const [session] = await listObjects<{ status: { podName: string } }>(
      'bs',
      tenant.namespace,
      `${LABEL.conversation}=${id}`,
    );
    await kubectl('delete', 'pod', session!.status.podName, '-n', tenant.namespace, '--grace-period=0', '--force');
    const ended = await settled(id);
    expect(ended.isTaskSuccessful).toBe(false);
    expect(ended).toMatchObject({ failureKind: expect.stringMatching(/session_gone|browser_crashed/) as string });
  });
});

describe('parts of the installation that die in mid-run', () => {
  test.each(['gateway', 'operator', 'agent', 'redis'])('%s killed: the run finishes, once', async (component) => {
    const id = await startRun('slow:12');
    await running(id);
    await killPods(component);
    const ended = await settled(id);
    expect(ended).toMatchObject({ status: 'stopped', isTaskSuccessful: true });
    const messages = await api<{ messages: { type: string }[] }>(
      tenant.apiKey,
      'GET',
      `/api/v3/sessions/${id}/messages?limit=100`,
    );
    expect(messages.body.messages.filter((message) => message.type === 'completion')).toHaveLength(1);
    await rolledOut(component);
  });
});

describe('warm pods', () => {
  test('two claims for one warm pod: one gets it, the other starts cold, and no pod serves two', async () => {
    const warm = await createTenant('claim', { pool: { warm: { min: 1, max: 1 } } });
    try {
      await eventually(
        'a warm pod is ready',
        () => kubectl('get', 'browserpool', 'default', '-n', warm.namespace, '-o', 'jsonpath={.status.warm}'),
        (seen) => seen === '1',
        120_000,
      );
      await Promise.all([warm.session('left'), warm.session('right')]);
      const sessions = await Promise.all([
        warm.phase('left', ['Ready', 'Idle']),
        warm.phase('right', ['Ready', 'Idle']),
      ]);
      expect(new Set(sessions.map((session) => session.status?.podUID)).size).toBe(2);
      expect(sessions.map((session) => session.status?.start)).toContain('warm');
    } finally {
      await warm.remove();
    }
  });
});
