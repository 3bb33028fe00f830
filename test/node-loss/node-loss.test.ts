import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestTenant, conditionOf, createTenant, installation } from '../harness/installation.ts';
import { eventually, kubectl } from '../harness/kubectl.ts';

const run = promisify(execFile);
let tenant: TestTenant;
let worker: string;

/** The nodes of a kind cluster are containers; the engine that runs them is the one kind/env.sh names. */
const nodeContainer = (verb: 'stop' | 'start', node: string) =>
  run('bash', ['-c', `. kind/env.sh; "\${KIND_EXPERIMENTAL_PROVIDER:-docker}" ${verb} ${node}`], {
    cwd: `${import.meta.dirname}/../..`,
  });

beforeAll(async () => {
  const workers = await kubectl('get', 'nodes', '-l', '!node-role.kubernetes.io/control-plane', '-o', 'name');
  // The one without Redis: what is tried here is the loss of browsers, not of the only database.
  const redisNode = await kubectl(
    'get',
    'pod',
    'podwright-redis-0',
    '-n',
    installation().namespace,
    '-o',
    'jsonpath={.spec.nodeName}',
  );
  worker =
    workers
      .trim()
      .split('\n')
      .map((line) => line.replace('node/', ''))
      .find((name) => name !== redisNode) ?? '';
  if (worker === '') throw new Error('this suite needs two worker nodes, one of which it can stop: make up NODES=3');
  tenant = await createTenant('node', { pool: { nodeSelector: { 'kubernetes.io/hostname': worker } } });
});

afterAll(async () => {
  if (worker) {
    await nodeContainer('start', worker);
    await kubectl('wait', '--for=condition=Ready', `node/${worker}`, '--timeout=120s');
  }
  await tenant?.remove();
});

test('a session whose node is gone says NodeLost, and its pod is gone once the node is back', async () => {
  await tenant.session('stranded');
  const before = await tenant.phase('stranded', ['Ready', 'Idle']);
  expect(before.status?.nodeName).toBe(worker);
  await nodeContainer('stop', worker);
  const lost = await eventually(
    'the session ends because its node is lost',
    () => tenant.get('stranded'),
    (seen) => seen?.status?.reason === 'NodeLost' && ['Stopping', 'Failed'].includes(seen.status.phase ?? ''),
    200_000,
  );
  expect(conditionOf(lost, 'Ready')).toMatchObject({ status: 'False' });
  await nodeContainer('start', worker);
  await tenant.phase('stranded', 'Failed', 180_000);
  await eventually(
    'no pod of it is left',
    () => kubectl('get', 'pods', '-n', tenant.namespace, '-o', 'name'),
    (pods) => !pods.includes(before.status!.podName!),
    60_000,
  );
});
