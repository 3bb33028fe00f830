import { readFile } from 'node:fs/promises';
import type { PublicKeySet } from '@podwright/api/tokens';
import type { Node } from '@podwright/kube/objects';
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
  tokenKeys: PublicKeySet;
  nodes: () => readonly Node[];
}): () => PodSettings {
  const { config, tokenKeys } = options;
  const { installation, supervisorImage, clusterCidrs, apiServer, priorityClass, imagePullSecrets } = config;
  const make = (userNamespaces: boolean): PodSettings => ({
    installation,
    supervisorImage,
    tokenKeys,
    clusterCidrs,
    apiServer,
    priorityClass,
    imagePullSecrets,
    userNamespaces,
  });
  let current = make(false);
  return () => {
    const userNamespaces = config.userNamespaces && allNodesHaveUserNamespaces(options.nodes());
    if (userNamespaces !== current.userNamespaces) current = make(userNamespaces);
    return current;
  };
}

export async function readTokenKeys(file: string): Promise<PublicKeySet> {
  return JSON.parse(await readFile(file, 'utf8')) as PublicKeySet;
}
