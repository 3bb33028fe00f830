import { readFile } from 'node:fs/promises';
import type { PublicKeySet } from '@podwright/api/tokens';
import type { Node, Service } from '@podwright/kube/objects';
import type { Config } from '../config.ts';
import type { PodSettings } from '../pods/pod-template.ts';

/** Whether every node says that its default runtime can give a pod a user namespace. */
export const allNodesHaveUserNamespaces = (nodes: readonly Node[]): boolean =>
  nodes.length > 0 &&
  nodes.every((node) =>
    node.status?.runtimeHandlers?.some(
      ({ name, features }) => (name ?? '') === '' && features?.userNamespaces === true,
    ),
  );

/** Settings for pods, the same object until something in them changes: templates are cached by it. */
export function createPodSettings(options: {
  config: Config;
  /** The same object until the list changes. */
  tokenKeys: () => PublicKeySet;
  nodes: () => readonly Node[];
  /** The gateway's Service, once it is known. */
  gateway: () => Service | undefined;
}): () => PodSettings {
  const { config } = options;
  const { installation, supervisorImage, clusterCidrs, apiServer, priorityClass, imagePullSecrets } = config;
  const limits = { images: config.browserImages, unsandboxed: config.unsandboxedPools };
  const make = (tokenKeys: PublicKeySet, userNamespaces: boolean, gateway: string | undefined): PodSettings => ({
    installation,
    supervisorImage,
    tokenKeys,
    clusterCidrs,
    apiServer,
    gateway,
    limits,
    priorityClass,
    imagePullSecrets,
    userNamespaces,
  });
  let current = make(options.tokenKeys(), false, undefined);
  return () => {
    const userNamespaces = config.userNamespaces && allNodesHaveUserNamespaces(options.nodes());
    const gateway = addressOf(options.gateway());
    const tokenKeys = options.tokenKeys();
    const same =
      tokenKeys === current.tokenKeys && userNamespaces === current.userNamespaces && gateway === current.gateway;
    if (!same) current = make(tokenKeys, userNamespaces, gateway);
    return current;
  };
}

/** By address: the browser container resolves no names. */
function addressOf(service: Service | undefined): string | undefined {
  const { clusterIP, ports } = service?.spec ?? {};
  const port = ports?.[0]?.port;
  if (clusterIP === undefined || clusterIP === '' || clusterIP === 'None' || port === undefined) return undefined;
  return `${clusterIP.includes(':') ? `[${clusterIP}]` : clusterIP}:${port}`;
}

export async function readTokenKeys(file: string): Promise<PublicKeySet> {
  return JSON.parse(await readFile(file, 'utf8')) as PublicKeySet;
}
