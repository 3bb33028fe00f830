import { CONTAINER, LABEL } from '@podwright/api/names';
import type { ContainerStatus, Node, Pod } from '@podwright/kube/objects';

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

/** Since when a node does not answer, in milliseconds since the epoch; undefined while it does. */
export function notReadySince(node: Node): number | undefined {
  const ready = node.status?.conditions?.find((condition) => condition.type === 'Ready');
  if (ready === undefined || ready.status === 'True') return undefined;
  return Date.parse(ready.lastTransitionTime ?? '') || 0;
}

/** Kubelets renew their status every few seconds; only readiness and cordoning concern sessions. */
export const isNodeNews = (before: Node, after: Node): boolean =>
  notReadySince(before) !== notReadySince(after) || isCordoned(before) !== isCordoned(after);
