import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { BrowserPoolSpec } from '@podwright/api/kinds/pool';
import type { BrowserSession, BrowserSessionSpec } from '@podwright/api/kinds/session';
import type { BrowserTenantSpec } from '@podwright/api/kinds/tenant';
import { LABEL, OBJECT } from '@podwright/api/names';
import { type Client, createClient } from '@podwright/kube/client';
import type { Pod } from '@podwright/kube/objects';
import { RESOURCE } from '@podwright/kube/resource';
import { startControlPlane } from '../harness/control-plane.ts';
import { installCrds } from '../harness/crds.ts';
import { silent } from '../harness/kube.ts';
import { eventually } from '../harness/kubectl.ts';
import {
  type OperatorProcess,
  bundleOperator,
  operatorEnvironment,
  startOperator,
} from '../harness/operator-process.ts';
import { startSimulatedKeeper } from '../harness/simulated-keeper.ts';
import { startSimulatedPods } from '../harness/simulated-pods/simulated-pods.ts';
import { makeTokenKeys } from '../harness/token-keys.ts';

export const NAMESPACE = 'podwright-system';
const INSTALLATION = 'operator-test';

/** The real operator before a real API server with its controllers; nodes, pods and keeper are simulated. */
export interface World {
  client: Client;
  kubeconfig: string;
  /** SIGKILL, then `away`, then another one. */
  replaceOperator: (away: () => Promise<void>) => Promise<void>;
  /** A namespace with its tenant and the pool `default`. */
  tenant(how?: { tenant?: Partial<BrowserTenantSpec>; pool?: Partial<BrowserPoolSpec> }): Promise<TestTenant>;
  /** Requests of the API server's own record: verb, resource and answer, of one namespace. */
  requests(namespace: string, verb: string, resource: string): Promise<{ code: number; name: string }[]>;
  stop(): Promise<void>;
}

export interface TestTenant {
  name: string;
  namespace: string;
  session: (name: string, spec?: BrowserSessionSpec) => Promise<BrowserSession>;
  get: (name: string) => Promise<BrowserSession | undefined>;
  /** Waits until `accept` likes it. */
  until(
    name: string,
    what: string,
    accept: (session: BrowserSession) => boolean,
    timeoutMs?: number,
  ): Promise<BrowserSession>;
  pods: () => Promise<Pod[]>;
  warm: () => Promise<Pod[]>;
}

export async function startWorld(signal: AbortSignal): Promise<World> {
  const controlPlane = await startControlPlane({ controllerManager: true, signal });
  const { connection, directory } = controlPlane;
  const client = createClient({ connection, userAgent: 'podwright-test' });
  await installCrds(client);
  await client.create(RESOURCE.namespaces, { metadata: { name: NAMESPACE } });
  const keys = await makeTokenKeys({ directory, installation: INSTALLATION });
  const keeper = await startSimulatedKeeper({ signer: await keys.signer('keeper') });
  const simulated = await startSimulatedPods({
    client,
    installation: INSTALLATION,
    keys: keys.publicKeys,
    nodes: 2,
    times: () => ({ startMs: 300, readyMs: 200 }),
    log: silent,
  });
  const environment = await operatorEnvironment({
    directory,
    kubeconfig: controlPlane.kubeconfigPath,
    namespace: NAMESPACE,
    installation: INSTALLATION,
    keys,
    keeperUrl: keeper.url,
  });
  const bundle = await bundleOperator(directory);
  let count = 0;
  async function start(): Promise<OperatorProcess> {
    const started = await startOperator({ bundle, name: `operator-${(count += 1)}`, environment });
    await started.leading;
    return started;
  }
  let operator = await start();
  return {
    client,
    kubeconfig: controlPlane.kubeconfigPath,
    async replaceOperator(away) {
      await operator.kill();
      await away();
      operator = await start();
    },
    tenant: (how = {}) => makeTenant(client, how),
    async requests(namespace, verb, resource) {
      const lines = (await readFile(controlPlane.auditLogPath, 'utf8')).trim().split('\n');
      type Entry = {
        verb: string;
        stage: string;
        userAgent?: string;
        objectRef?: { resource?: string; namespace?: string; name?: string; subresource?: string };
        responseStatus?: { code?: number };
      };
      return lines
        .map((line) => JSON.parse(line) as Entry)
        .filter(({ verb: is, objectRef, userAgent, stage }) => {
          const { resource: kind, namespace: where, subresource } = objectRef ?? {};
          const isOurs = userAgent?.startsWith('podwright-operator') === true && stage === 'ResponseComplete';
          return isOurs && is === verb && kind === resource && where === namespace && subresource === undefined;
        })
        .map(({ objectRef, responseStatus }) => ({ code: responseStatus?.code ?? 0, name: objectRef?.name ?? '' }));
    },
    async stop() {
      await operator.kill();
      await simulated.stop();
      await keeper.stop();
      await controlPlane.stop();
    },
  };
}

async function makeTenant(client: Client, how: Parameters<World['tenant']>[0] = {}): Promise<TestTenant> {
  const name = `t-${randomBytes(3).toString('hex')}`;
  const namespace = `tenant-${name}`;
  await client.create(RESOURCE.namespaces, { metadata: { name: namespace } });
  await client.create(RESOURCE.browserTenants, { metadata: { name }, spec: { namespace, ...how.tenant } });
  const spec = { image: 'simulated-browser:1', warm: { min: 0 }, ...how.pool };
  await client.create(RESOURCE.browserPools, { metadata: { name: 'default', namespace }, spec });
  await eventually(
    `tenant ${name} is ready`,
    () => client.get(RESOURCE.browserTenants, { name }),
    (seen) => seen.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false,
    20_000,
  );
  const get = (session: string) => client.find(RESOURCE.browserSessions, { namespace, name: session });
  const pods = async (): Promise<Pod[]> =>
    (await client.list(RESOURCE.pods, { namespace })).items.filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    );
  return {
    name,
    namespace,
    get,
    pods,
    warm: async () => (await pods()).filter(({ metadata }) => metadata.labels?.[LABEL.claimed] === 'false'),
    session: (session, sessionSpec = {}) =>
      client.create(RESOURCE.browserSessions, { metadata: { name: session, namespace }, spec: sessionSpec }),
    async until(session, what, accept, timeoutMs = 30_000) {
      const seen = await eventually(
        `session ${session} ${what}`,
        () => get(session),
        (found) => found !== undefined && accept(found),
        timeoutMs,
      );
      return seen!;
    },
  };
}

export const isReady = ({ status }: BrowserSession): boolean => status?.readyAt !== undefined;
export const hasEnded = ({ status }: BrowserSession): boolean => status?.endedAt !== undefined;

/** A key Secret of a tenant, as the platform makes it. */
export const keySecret = (tenant: string, id: string) => ({
  metadata: {
    name: OBJECT.apiKeySecret(id),
    namespace: NAMESPACE,
    labels: { [LABEL.apiKey]: 'true', [LABEL.tenant]: tenant },
  },
});
