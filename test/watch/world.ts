import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '@podwright/kube/client';
import { RESOURCE, type ResourceType } from '@podwright/kube/resource';
import { type ControlPlane } from '../harness/control-plane.ts';
import { type HttpFaultProxy, startHttpFaultProxy } from '../harness/http-fault-proxy.ts';
import { grantReading, tokenOf } from './access.ts';
import type { Item, Subject, Watcher } from './subject.ts';

/** Where one case happens: a namespace, a proxy before the API server, an account, and the watcher under test. */
export interface World {
  plane: ControlPlane;
  /** Writes past the proxy. */
  admin: Client;
  namespace: string;
  resource: ResourceType<Item>;
  proxy: HttpFaultProxy;
  /** The file that the watcher's token is in. */
  tokenFile: string;
  /** Starts the watcher and waits until it knows what there is. */
  start(options?: { quietMs?: number; settle?: boolean }): Promise<Watcher>;
  /** The one that was started last. */
  watcher(): Watcher | undefined;
  create(name: string, value?: string): Promise<Item>;
  change(name: string, value: string): Promise<Item>;
  remove(name: string): Promise<void>;
  /** Waits until the watcher's cache is what the API server lists; the milliseconds it took. Throws after `withinMs`. */
  settled(withinMs?: number): Promise<number>;
  /** Waits until `probe` holds. */
  until(what: string, probe: () => boolean, withinMs?: number): Promise<number>;
  close(): Promise<void>;
}

export const SETTLE_WITHIN_MS = 15_000;

export async function createWorld(options: {
  plane: ControlPlane;
  subject: Subject;
  namespace: string;
  resource?: ResourceType<Item>;
}): Promise<World> {
  const { plane, namespace, subject } = options;
  const resource = options.resource ?? RESOURCE.configMaps;
  const admin = createClient({ connection: plane.connection, userAgent: 'podwright-test-admin' });
  await admin.create(RESOURCE.namespaces, { metadata: { name: namespace } });
  await grantReading(admin, namespace);
  const proxy = await startHttpFaultProxy({ target: plane.url, certificates: plane.certificates });
  const tokenFile = join(plane.directory, `${namespace}.token`);
  await writeFile(tokenFile, await tokenOf(admin, namespace), { mode: 0o600 });
  // How an account's projected token is named in a configuration that this library reads; it is read again by itself.
  const user = { 'auth-provider': { name: 'tokenFile', config: { tokenFile } } };
  const kubeconfig = await plane.kubeconfig(`${namespace}.kubeconfig`, user, proxy.url);
  const watchers: Watcher[] = [];
  const target = (name: string) => ({ namespace, name });
  const world: World = {
    plane,
    admin,
    namespace,
    resource,
    proxy,
    tokenFile,
    async start({ settle = true, ...rest } = {}) {
      const watcher = await subject.start({ kubeconfig, resource, namespace, ...rest });
      watchers.push(watcher);
      if (settle) {
        await world.settled();
        await world.until('the watch is up', () => proxy.watches.size > 0);
      }
      return watcher;
    },
    create: (name, value = '') => admin.create(resource, { metadata: target(name), data: { value } }),
    change: (name, value) => admin.patch(resource, target(name), { type: 'merge', body: { data: { value } } }),
    async remove(name) {
      await admin.delete(resource, target(name));
    },
    async settled(withinMs = SETTLE_WITHIN_MS) {
      const startedAt = performance.now();
      for (;;) {
        const difference = differenceOf(watchers.at(-1)?.items() ?? [], await listed(admin, resource, namespace));
        const took = performance.now() - startedAt;
        if (difference === undefined) return took;
        if (took > withinMs) throw new Error(`not true after ${withinMs / 1000} s: ${difference}`);
        await sleep(40);
      }
    },
    async until(what, probe, withinMs = SETTLE_WITHIN_MS) {
      const startedAt = performance.now();
      while (!probe()) {
        if (performance.now() - startedAt > withinMs) throw new Error(`not within ${withinMs / 1000} s: ${what}`);
        await sleep(10);
      }
      return performance.now() - startedAt;
    },
    watcher: () => watchers.at(-1),
    async close() {
      await Promise.all(watchers.map((watcher) => Promise.race([watcher.stop(), sleep(2_000)])));
      await proxy.close();
      await admin.delete(RESOURCE.namespaces, { name: namespace });
    },
  };
  return world;
}

/** What the API server lists now; nothing where the kind is not served. */
export async function listed(admin: Client, resource: ResourceType<Item>, namespace: string): Promise<Item[]> {
  return (await admin.list(resource, { namespace, timeoutMs: 30_000 })).items;
}

/** The first thing in which a cache differs from a list. */
function differenceOf(cached: Item[], list: Item[]): string | undefined {
  const key = ({ metadata }: Item): string => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`;
  const inCache = new Set(cached.map(key));
  const inList = new Set(list.map(key));
  const missing = list.find((item) => !inCache.has(key(item)));
  if (missing) return `${key(missing)} is missing (${cached.length} of ${list.length} known)`;
  const extra = cached.find((item) => !inList.has(key(item)));
  return extra && `${key(extra)} is there and should not be`;
}
