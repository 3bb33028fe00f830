import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run } from './run.ts';

/** Where `make up` installs, as scripts and the README name it. */
export const NAMESPACE = 'podwright-system';
export const RELEASE = 'podwright';
export const DEMO = { tenant: 'demo', namespace: 'tenant-demo', siteNamespace: 'podwright-demo' } as const;
export const NODE_PORT = 30080;

/** The cluster that this run is about. */
export interface Place {
  cluster: string;
  /** Whether it is somebody else's cluster, that of the current kubeconfig context. */
  current: boolean;
  cache: string;
  /** Folder of what belongs to this installation and goes with it. */
  folder: string;
  keyFile: string;
}

export async function findPlace(): Promise<Place> {
  const cluster = process.env['CLUSTER'] ?? 'podwright';
  const cache = process.env['PODWRIGHT_CACHE'] ?? join(homedir(), '.cache', 'podwright');
  if (!/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(cluster)) {
    throw new Error(`CLUSTER="${cluster}" is no name of a cluster: lower-case letters, digits and dashes, 40 at most`);
  }
  const current = cluster === 'current';
  const name = current ? await contextName() : cluster;
  const folder = join(cache, current ? 'current' : 'clusters', name);
  return { cluster, current, cache, folder, keyFile: join(folder, 'api-key') };
}

async function contextName(): Promise<string> {
  const context = await run('kubectl', ['config', 'current-context']);
  return context.trim().replaceAll(/[^A-Za-z0-9.-]/g, '_');
}

/** Address of the gateway as this machine reaches it. */
export async function gatewayUrl(place: Place): Promise<string> {
  const wanted = process.env['PODWRIGHT_PUBLIC_URL'];
  if (wanted) return wanted.replace(/\/$/, '');
  if (!place.current) return (await run('kind/cluster.sh', ['url', place.cluster])).trim();
  const path = '{.items[0].status.addresses[?(@.type=="InternalIP")].address}';
  return `http://${(await run('kubectl', ['get', 'nodes', '-o', `jsonpath=${path}`])).trim()}:${NODE_PORT}`;
}

/** The API key that `make up` made for this installation; null when there is none. */
export function readKey(place: Place): string | null {
  return existsSync(place.keyFile) ? readFileSync(place.keyFile, 'utf8').trim() : null;
}

export function makeFolder(place: Place): void {
  mkdirSync(place.folder, { recursive: true, mode: 0o700 });
}
