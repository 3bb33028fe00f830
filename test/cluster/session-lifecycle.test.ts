import type { BrowserSession } from '@podwright/api/kinds/session';
import { LABEL } from '@podwright/api/names';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestTenant, conditionOf, createTenant } from '../harness/installation.ts';
import { eventually, getObject, kubectl, listObjects } from '../harness/kubectl.ts';

interface Pod {
  metadata: { name: string; uid: string; labels: Record<string, string> };
  spec: {
    automountServiceAccountToken?: boolean;
    containers: { name: string; securityContext?: Record<string, unknown> }[];
  };
}

let tenant: TestTenant;
beforeAll(async () => {
  tenant = await createTenant('life');
});
afterAll(() => tenant?.remove());

const podsOf = (session: BrowserSession) =>
  listObjects<Pod>('pods', tenant.namespace, `${LABEL.sessionUid}=${session.metadata.uid}`);

describe('a BrowserSession from a manifest', () => {
  test('becomes exactly one pod and is Ready only with its browser answering, sandboxed and isolated', async () => {
    await tenant.session('first', { viewport: { width: 1000, height: 700 } });
    const session = await tenant.phase('first', ['Ready', 'Idle']);
    for (const type of ['Admitted', 'PodAssigned', 'BrowserReady', 'Sandboxed', 'Isolated', 'Ready']) {
      expect(conditionOf(session, type), type).toMatchObject({ status: 'True' });
    }
    const pods = await podsOf(session);
    expect(pods).toHaveLength(1);
    expect(pods[0]?.metadata.uid).toBe(session.status?.podUID);
    expect(pods[0]?.spec.automountServiceAccountToken).toBe(false);
    for (const container of pods[0]!.spec.containers) {
      expect(container.securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
      });
    }
  });

  test('kubectl get shows phase, pod, age, run and cost; describe tells the story in events', async () => {
    const table = await kubectl('get', 'bs', 'first', '-n', tenant.namespace);
    expect(table.split('\n')[0]).toMatch(/NAME\s+PHASE\s+POD\s+.*RUN.*COST/i);
    const story = await kubectl('describe', 'bs', 'first', '-n', tenant.namespace);
    expect(story).toMatch(/Events:/);
    expect(story).toMatch(/CreatedCold|ClaimedWarm/);
    expect(story).toMatch(/Normal\s+Ready/);
  });

  test('kubectl wait works on the Ready condition', async () => {
    await kubectl('wait', '--for=condition=Ready', 'bs/first', '-n', tenant.namespace, '--timeout=5s');
  });

  test('neither spec nor status holds a URL with a credential', async () => {
    const session = await tenant.get('first');
    expect(JSON.stringify({ spec: session?.spec, status: session?.status })).not.toMatch(/\/cdp\/|\/view\/|token/i);
  });

  test('spec.stop ends it, cannot be taken back, and the pod is gone before the phase says so', async () => {
    const before = (await tenant.get('first'))!;
    await kubectl(
      'patch',
      'bs',
      'first',
      '-n',
      tenant.namespace,
      '--type=merge',
      '-p',
      '{"spec":{"stop":{"reason":"Asked"}}}',
    );
    const stopped = await tenant.phase('first', 'Stopped');
    expect(stopped.status).toMatchObject({ reason: 'Asked' });
    expect(stopped.status?.endedAt).toBeDefined();
    expect(await podsOf(before)).toEqual([]);
    await expect(
      kubectl('patch', 'bs', 'first', '-n', tenant.namespace, '--type=merge', '-p', '{"spec":{"stop":null}}'),
    ).rejects.toThrow(/stop/);
  });

  test('kubectl delete of a live session leaves nothing behind', async () => {
    await tenant.session('doomed');
    const session = await tenant.phase('doomed', ['Ready', 'Idle']);
    await kubectl('delete', 'bs', 'doomed', '-n', tenant.namespace, '--timeout=90s');
    expect(await podsOf(session)).toEqual([]);
  });

  test('deleted while starting, it leaves nothing behind', async () => {
    const session = await tenant.session('impatient');
    await kubectl('delete', 'bs', 'impatient', '-n', tenant.namespace, '--timeout=90s');
    await eventually(
      'no pod of it',
      () => podsOf(session),
      (pods) => pods.length === 0,
      60_000,
    );
    expect(await getObject('bs', 'impatient', tenant.namespace)).toBeNull();
  });

  test('its maximum duration ends it as TimedOut, and ttlAfterFinished removes the object', async () => {
    await tenant.session('short', { lifetime: { maxDuration: '8s', ttlAfterFinished: '3s' } });
    await tenant.phase('short', 'TimedOut');
    await eventually(
      'the object is gone',
      () => tenant.get('short'),
      (seen) => seen === null,
      30_000,
    );
  });

  test('without use it is evicted as Idle by the gateway', async () => {
    await tenant.session('lonely', { lifetime: { idleTimeout: '5s' } });
    const session = await tenant.phase('lonely', 'Stopped', 120_000);
    expect(session.status?.reason).toBe('Idle');
  });
});
