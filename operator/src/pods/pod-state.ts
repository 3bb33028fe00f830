import { CONTAINER, LABEL } from '@podwright/api/names';
import type { ContainerStatus, Namespace, Node, Pod } from '@podwright/kube/objects';

/** Facts about a pod, each read in one place. */

export const isReady = (pod: Pod): boolean =>
  pod.status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false;

export const isEnded = (pod: Pod): boolean => pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded';

export const isDeleting = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined;

export const isClaimed = (pod: Pod): boolean => pod.metadata.labels?.[LABEL.claimed] === 'true';

export const containerOf = (pod: Pod, name: keyof typeof CONTAINER): ContainerStatus | undefined =>
  pod.status?.containerStatuses?.find((status) => status.name === CONTAINER[name]);

/** The supervisor runs, so the pod's door can be asked. */
export const hasDoor = (pod: Pod): boolean =>
  pod.status?.podIP !== undefined && containerOf(pod, 'supervisor')?.state?.running !== undefined;

/** Some container of it ended: with restartPolicy Never the pod is of no use any more. */
export const isBroken = (pod: Pod): boolean =>
  isEnded(pod) || (pod.status?.containerStatuses?.some((status) => status.state?.terminated !== undefined) ?? false);

export const isCordoned = (node: Node | undefined): boolean => node?.spec?.unschedulable === true;

/** Everything in the namespace is being deleted, and nothing can be created in it. */
export const isTerminating = (namespace: Namespace | undefined): boolean =>
  namespace?.status?.phase === 'Terminating' || namespace?.metadata.deletionTimestamp !== undefined;

/** Since when a node does not answer, in milliseconds since the epoch; undefined while it does. */
export function notReadySince(node: Node): number | undefined {
  const ready = node.status?.conditions?.find((condition) => condition.type === 'Ready');
  if (ready === undefined || ready.status === 'True') return undefined;
  return Date.parse(ready.lastTransitionTime ?? '') || 0;
}

/** A node that does not answer for this long is given up, for sessions and for warm pods. */
export const NODE_SILENCE_MS = 60_000;
/** A new pod may be seen before the node it was placed on. */
export const NODE_CACHE_LAG_MS = 15_000;

/** `good`: takes new work. `quiet`: does not answer, and may come back. `lost`: is gone or silent for too long. */
export type NodeState = 'good' | 'cordoned' | 'quiet' | 'lost';

/** What the node of a warm pod means to it. A pod that has no node yet is on none that is bad. */
export function nodeStateOf(pod: Pod, node: Node | undefined, now: number): NodeState {
  if (pod.spec.nodeName === undefined) return 'good';
  if (node === undefined) {
    return now - Date.parse(pod.metadata.creationTimestamp) < NODE_CACHE_LAG_MS ? 'quiet' : 'lost';
  }
  const silentSince = notReadySince(node);
  if (silentSince !== undefined && now - silentSince >= NODE_SILENCE_MS) return 'lost';
  if (isCordoned(node)) return 'cordoned';
  return silentSince === undefined ? 'good' : 'quiet';
}

/** Kubelets renew their status every few seconds; only readiness and cordoning concern sessions. */
export const isNodeNews = (before: Node, after: Node): boolean =>
  notReadySince(before) !== notReadySince(after) || isCordoned(before) !== isCordoned(after);
