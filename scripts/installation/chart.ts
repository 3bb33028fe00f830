import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Images, splitImage } from './images.ts';
import type { ModelSettings } from './models.ts';
import { MODEL_KEYS_SECRET } from './models.ts';
import { NAMESPACE, NODE_PORT, RELEASE } from './place.ts';
import { ROOT, applyObjects, kubectlJson, run } from './run.ts';
import type { Step } from './steps.ts';
import { workloadStates } from './workloads.ts';

const CHART = 'charts/podwright';
/** Workloads that the values below make: four Deployments of ours, Redis, the seccomp installer, demo site and model. */
const PARTS = 8;

export interface Wish {
  images: Images;
  publicUrl: string;
  models: ModelSettings;
}

/** Installs the chart, or upgrades it when something it is made from has changed. */
export async function installChart(wish: Wish, step: Step): Promise<void> {
  const values = JSON.stringify(await valuesOf(wish));
  const inputs = inputsHash(values, wish.models.keys);
  const release = await releaseState();
  if (release?.status === 'deployed' && release.description === describe(inputs) && (await nothingIsMissing())) {
    step.say('is as it should be');
    return;
  }
  if (release?.status.startsWith('pending')) {
    // An interrupted helm left a revision that blocks every further one; what it made is adopted by the next.
    step.say(`helm was interrupted (${release.status}); its half revision is dropped`);
    const selector = `owner=helm,name=${RELEASE},status=${release.status}`;
    await run('kubectl', ['delete', 'secret', '-n', NAMESPACE, '-l', selector]);
  }
  await applyObjects(namespaceObject(), ...(Object.keys(wish.models.keys).length > 0 ? [keysSecret(wish.models)] : []));
  step.say('CRDs');
  await run('kubectl', ['apply', '--server-side', '--force-conflicts', '-f', `${CHART}/crds`]);
  step.say('helm upgrade --install, with the job that makes missing keys');
  await run(
    'helm',
    // prettier-ignore
    [
      'upgrade', '--install', RELEASE, CHART, '--namespace', NAMESPACE, '--skip-crds', '--timeout', '5m',
      '--history-max', '5', '--description', describe(inputs), '--values', '-',
    ],
    { input: values },
  );
}

/** Values of the local installation: small, with the demo tenant, on one port of the nodes. */
async function valuesOf({ images, publicUrl, models }: Wish): Promise<object> {
  return {
    image: splitImage(images.services),
    browserImage: splitImage(images.browser),
    clusterCidrs: await clusterCidrs(),
    gateway: { publicUrl, service: { type: 'NodePort', nodePort: NODE_PORT }, frameAncestors: ["'self'"] },
    agent: {
      replicas: 1,
      extraEgress: models.ports.map((port) => ({ ports: [{ protocol: 'TCP', port }] })),
    },
    redis: { embedded: { image: splitImage(images.redis), size: '1Gi' } },
    keeper: { blobs: { directory: { size: '2Gi' } } },
    models: { entries: models.entries },
    demo: { enabled: true },
  };
}

/** Networks of pods, services and nodes, as the cluster shows them. */
async function clusterCidrs(): Promise<string[]> {
  interface Node {
    spec: { podCIDRs?: string[] };
    status: { addresses: { type: string; address: string }[] };
  }
  const { items } = await kubectlJson<{ items: Node[] }>('get', 'nodes');
  const { spec } = await kubectlJson<{ spec: { clusterIP: string } }>('get', 'service', 'kubernetes', '-n', 'default');
  const nodes = items.flatMap(({ status }) => status.addresses.filter(({ type }) => type === 'InternalIP'));
  const pods = items.flatMap((node) => node.spec.podCIDRs ?? []);
  // A service network is a /12 to /16; the API server's address is the first in it.
  const services = `${spec.clusterIP.split('.').slice(0, 2).join('.')}.0.0/16`;
  return [...new Set([...pods, services, ...nodes.map(({ address }) => `${address}/32`)])];
}

/** Somebody may have deleted a part or scaled it to nothing since. */
async function nothingIsMissing(): Promise<boolean> {
  const states = await workloadStates();
  return states.length >= PARTS && states.every(({ wanted }) => wanted > 0);
}

const describe = (inputs: string): string => `make up ${inputs}`;

function inputsHash(values: string, keys: Record<string, string>): string {
  const hash = createHash('sha256').update(values).update(JSON.stringify(keys));
  for (const file of globSync(`${CHART}/**/*`, { cwd: ROOT, withFileTypes: false }).toSorted()) {
    try {
      hash.update(file).update(readFileSync(join(ROOT, file)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error;
    }
  }
  return hash.digest('hex').slice(0, 16);
}

async function releaseState(): Promise<{ status: string; description: string } | null> {
  const listed = await run('helm', [
    'list',
    '--namespace',
    NAMESPACE,
    '--all',
    '--filter',
    `^${RELEASE}$`,
    '-o',
    'json',
  ]);
  const [found] = JSON.parse(listed) as { status: string }[];
  if (!found) return null;
  const status = await run('helm', ['status', RELEASE, '--namespace', NAMESPACE, '-o', 'json']);
  const { info } = JSON.parse(status) as { info: { status: string; description: string } };
  return info;
}

const namespaceObject = (): object => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: NAMESPACE,
    labels: { 'pod-security.kubernetes.io/enforce': 'restricted' },
  },
});

const keysSecret = (models: ModelSettings): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: MODEL_KEYS_SECRET, namespace: NAMESPACE },
  stringData: models.keys,
});
