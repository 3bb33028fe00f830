import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { type Client, createClient } from '@podwright/kube/client';
import { type Connection, connect } from '@podwright/kube/connection';
import type { Log } from '@podwright/kube/reflector';
import { RESOURCE } from '@podwright/kube/resource';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';

export const silent: Log = { info() {}, warn() {}, error() {} };

/** A namespace of a test's own on the cluster of KUBECONFIG, and a client for it. */
export interface KubeFixture {
  client: Client;
  connection: Connection;
  namespace: string;
  /** A client whose every byte goes through a proxy that can fail. */
  viaProxy(): Promise<{ client: Client; proxy: FaultProxy; close(): Promise<void> }>;
  close(): Promise<void>;
}

export async function kubeFixture(prefix: string): Promise<KubeFixture> {
  const namespace = `${prefix}-${randomBytes(3).toString('hex')}`;
  const connection = await connect({ now: Date.now });
  const client = createClient({ connection, userAgent: 'podwright-test' });
  await client.create(RESOURCE.namespaces, { metadata: { name: namespace } });
  return {
    client,
    connection,
    namespace,
    async viaProxy() {
      const { hostname, port } = new URL(connection.server);
      const proxy = await startFaultProxy({ host: hostname, port: Number(port || 443) });
      const config = new KubeConfig();
      config.loadFromDefault();
      const exported = JSON.parse(config.exportConfig()) as { clusters: { cluster: { server: string } }[] };
      for (const { cluster } of exported.clusters) cluster.server = `https://127.0.0.1:${proxy.port}`;
      const directory = await mkdtemp(join(tmpdir(), 'podwright-test-'));
      const file = join(directory, 'kubeconfig');
      await writeFile(file, JSON.stringify(exported));
      const through = await connect({ now: Date.now, kubeconfig: file });
      return {
        client: createClient({ connection: through, userAgent: 'podwright-test' }),
        proxy,
        async close() {
          await through.close();
          await proxy.close();
          await rm(directory, { recursive: true });
        },
      };
    },
    async close() {
      await client.delete(RESOURCE.namespaces, { name: namespace });
      await connection.close();
    },
  };
}

/** Waits until `probe` is true; throws with `what` after `timeoutMs`. Returns the milliseconds it took. */
export async function until(what: string, probe: () => boolean, timeoutMs = 15_000): Promise<number> {
  const startedAt = performance.now();
  while (!probe()) {
    if (performance.now() - startedAt > timeoutMs) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
  return performance.now() - startedAt;
}
