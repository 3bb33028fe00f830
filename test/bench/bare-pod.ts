import { randomBytes } from 'node:crypto';
import { LABEL } from '@podwright/api/names';
import { applyObjects, eventually, kubectl, listObjects } from '../harness/kubectl.ts';

interface Pod {
  metadata: { name: string; labels: Record<string, string> };
  spec: Record<string, unknown>;
}

/**
 * The baseline: a pod with the spec that the operator makes, created by hand (as an administrator, without the operator,
 * claim, bind or gateway), until its door says that Chromium answered a CDP command. The door is asked through the API
 * server's proxy, since pods cannot be reached from outside the cluster.
 */
export async function createBarePod(namespace: string): Promise<{ name: string; milliseconds: number }> {
  const name = `bare-${randomBytes(4).toString('hex')}`;
  const start = performance.now();
  const spec = await templateSpec();
  const prepared = performance.now();
  await applyObjects(
    [{ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels: { bench: 'bare' } }, spec }],
    'create',
  );
  await eventually(
    'the bare pod answers',
    () => kubectl('get', '--raw', `/api/v1/namespaces/${namespace}/pods/${name}:9000/proxy/readyz`),
    () => true,
    120_000,
  );
  // The spec is read once and reading it is not part of starting a pod.
  return { name, milliseconds: performance.now() - start - (prepared - start) };
}

export async function deleteBarePod(namespace: string, name: string): Promise<void> {
  await kubectl('delete', 'pod', name, '-n', namespace, '--grace-period=1', '--timeout=60s');
}

let cached: Record<string, unknown> | undefined;

/** Spec of a warm pod of the sample pool, without what the scheduler and the API server filled in. */
async function templateSpec(): Promise<Record<string, unknown>> {
  if (cached) return cached;
  const pods = await eventually(
    'a pod of the sample pool',
    () => listObjects<Pod>('pods', 'tenant-demo', `${LABEL.pool}=default,${LABEL.claimed}=false`),
    (seen) => seen.length > 0,
    120_000,
  );
  const { nodeName: _node, tolerations: _tolerations, priority: _priority, ...spec } = pods[0]!.spec;
  cached = spec;
  return spec;
}
