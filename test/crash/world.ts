import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, createClient } from '@podwright/kube/client';
import { RESOURCE } from '@podwright/kube/resource';
import { type ApiProxy, startApiProxy } from '../harness/api-proxy.ts';
import { startControlPlane } from '../harness/control-plane.ts';
import { installCrds } from '../harness/crds.ts';
import { silent } from '../harness/kube.ts';
import {
  type OperatorProcess,
  bundleOperator,
  operatorEnvironment,
  startOperator,
} from '../harness/operator-process.ts';
import { startSimulatedKeeper } from '../harness/simulated-keeper.ts';
import { type SimulatedPods, startSimulatedPods } from '../harness/simulated-pods/simulated-pods.ts';
import { makeTokenKeys } from '../harness/token-keys.ts';
import { type History, startHistory } from './history.ts';

const INSTALLATION = 'crash';
const NAMESPACE = 'podwright-system';
/** Pool whose pods never come up in the time that a replay takes. */
export const SLOW_POOL = 'slow';

/** Everything around operators: a real API server, simulated pods and keeper, and the proxy they write through. */
export interface World {
  client: Client;
  pods: SimulatedPods;
  proxy: ApiProxy;
  history: History;
  /** Temporary directory of this world. */
  directory: string;
  startOperator(how?: { hold?: boolean; clockFile?: string }): Promise<OperatorProcess>;
  /** As if the lease of an operator that is gone had run out by now. */
  freeLease(): Promise<void>;
  /** Pod name of the holder of the lease. */
  leader(): Promise<string | undefined>;
  stop(): Promise<void>;
}

export async function startWorld(options: { signal: AbortSignal }): Promise<World> {
  const controlPlane = await startControlPlane({ signal: options.signal });
  const { connection, directory } = controlPlane;
  const client = createClient({ connection, userAgent: 'podwright-simulator' });
  await installCrds(client);
  await client.create(RESOURCE.namespaces, { metadata: { name: NAMESPACE } });
  const keys = await makeTokenKeys({ directory, installation: INSTALLATION });
  const keeper = await startSimulatedKeeper({ signer: await keys.signer('keeper') });
  const pods = await startSimulatedPods({
    client,
    installation: INSTALLATION,
    keys: keys.publicKeys,
    nodes: 2,
    times: (pod) => ({
      startMs: pod.metadata.labels?.['podwright.dev/pool'] === SLOW_POOL ? 600_000 : 40,
      readyMs: 30,
    }),
    log: silent,
  });
  const history = await startHistory({ client });
  const proxy = await startApiProxy({ connection });
  const kubeconfig = join(directory, 'proxy.kubeconfig');
  await writeFile(kubeconfig, kubeconfigOf(proxy.url));
  const common = {
    directory,
    kubeconfig,
    namespace: NAMESPACE,
    installation: INSTALLATION,
    keys,
    keeperUrl: keeper.url,
  };
  const environment = {
    ...(await operatorEnvironment(common)),
    NODE_COMPILE_CACHE: join(directory, 'compile-cache'),
  };
  const bundle = await bundleOperator(directory);
  const lease = { namespace: NAMESPACE, name: 'podwright-operator' };
  const running = new Set<OperatorProcess>();
  let count = 0;
  return {
    client,
    pods,
    proxy,
    history,
    directory,
    async startOperator(how = {}) {
      const operator = await startOperator({ bundle, name: `operator-${(count += 1)}`, environment, ...how });
      running.add(operator);
      void operator.exited.then(() => running.delete(operator));
      return operator;
    },
    async freeLease() {
      await client.delete(RESOURCE.leases, lease);
    },
    async leader() {
      return (await client.find(RESOURCE.leases, lease))?.spec?.holderIdentity?.split('_')[0];
    },
    async stop() {
      await Promise.all([...running].map((operator) => operator.kill()));
      await history.stop();
      await pods.stop();
      await keeper.stop();
      await proxy.stop();
      await controlPlane.stop();
    },
  };
}

const kubeconfigOf = (server: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'proxy', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'nobody', user: {} }],
    contexts: [{ name: 'proxy', context: { cluster: 'proxy', user: 'nobody' } }],
    'current-context': 'proxy',
  });
