import { type Client, createClient } from '@podwright/kube/client';
import { RESOURCE } from '@podwright/kube/resource';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { installCrds } from '../../harness/crds.ts';
import {
  type OperatorProcess,
  bundleOperator,
  operatorEnvironment,
  startOperator,
} from '../../harness/operator-process.ts';
import { startSimulatedKeeper } from '../../harness/simulated-keeper.ts';
import { makeTokenKeys } from '../../harness/token-keys.ts';
import { startNodes } from './kwok.ts';
import { startPodDoors } from './pod-doors.ts';

const INSTALLATION = 'scale';
const NAMESPACE = 'podwright-system';

export interface ScaleCluster {
  controlPlane: ControlPlane;
  client: Client;
  doors: Awaited<ReturnType<typeof startPodDoors>>;
  startOperator(nodeArguments?: string[]): Promise<OperatorProcess>;
  stop(): Promise<void>;
}

/** A real API server and scheduler, kwok's nodes, and simulated doors of pods. */
export async function startCluster(options: { nodes: number; signal: AbortSignal }): Promise<ScaleCluster> {
  const { signal } = options;
  // No controller says that a node is no longer new: the taint for that would stay for ever.
  const apiServerFlags = ['--disable-admission-plugins=ServiceAccount,TaintNodesByCondition'];
  const controlPlane = await startControlPlane({ signal, apiServerFlags });
  const { directory, connection, kubeconfigPath } = controlPlane;
  const client = createClient({ connection, userAgent: 'podwright-bench' });
  await installCrds(client);
  await client.create(RESOURCE.namespaces, { metadata: { name: NAMESPACE } });
  const keys = await makeTokenKeys({ directory, installation: INSTALLATION });
  const keeper = await startSimulatedKeeper({ signer: await keys.signer('keeper') });
  const doors = await startPodDoors({ client, installation: INSTALLATION, keys: keys.publicKeys });
  const nodes = await startNodes({ client, kubeconfig: kubeconfigPath, directory, nodes: options.nodes, signal });
  const environment = await operatorEnvironment({
    directory,
    kubeconfig: kubeconfigPath,
    namespace: NAMESPACE,
    installation: INSTALLATION,
    keys,
    keeperUrl: keeper.url,
  });
  const bundle = await bundleOperator(directory);
  const operators: OperatorProcess[] = [];
  return {
    controlPlane,
    client,
    doors,
    async startOperator(nodeArguments = []) {
      const name = `operator-${operators.length + 1}`;
      const operator = await startOperator({ bundle, name, environment, nodeArguments });
      operators.push(operator);
      return operator;
    },
    async stop() {
      await Promise.all(operators.map((operator) => operator.kill()));
      await nodes.stop();
      await doors.stop();
      await keeper.stop();
      await controlPlane.stop();
    },
  };
}

/** Tenants with one pool each, which share the warm pods evenly. */
export async function makeTenants(client: Client, count: number, warm: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `scale-${index + 1}`);
  await Promise.all(
    names.map(async (name, index) => {
      const own = Math.floor(warm / count) + (index < warm % count ? 1 : 0);
      await client.create(RESOURCE.namespaces, { metadata: { name } });
      await client.create(RESOURCE.browserPools, {
        metadata: { name: 'default', namespace: name },
        spec: {
          image: 'simulated:1',
          sandbox: { mode: 'Seccomp' },
          warm: { min: own, max: own },
          lifetime: { maxDuration: '4h' },
        },
      });
      await client.create(RESOURCE.browserTenants, {
        metadata: { name },
        spec: { namespace: name, limits: { concurrentSessions: 100_000, createsPerMinute: 100_000 } },
      });
    }),
  );
  return names;
}
