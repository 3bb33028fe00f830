import type { Pod } from '@podwright/kube/objects';

/** Before anything was measured: a browser whose image is on the node takes about half of it. */
const DEFAULT_MS = 10_000;
const SHORTEST_MS = 1_000;
const LONGEST_MS = 120_000;
/** Pods looked at: the youngest tell best how long it takes now. */
const SAMPLES = 20;

/**
 * How long pods of a pool take from creation to Ready, measured on the pods that are there: three of four were faster.
 * The API server's timestamps have seconds.
 */
export function startTimeMs(pods: readonly Pod[]): number {
  const took = pods
    .toSorted((a, b) => b.metadata.creationTimestamp.localeCompare(a.metadata.creationTimestamp))
    .flatMap((pod) => {
      const ready = pod.status?.conditions?.find(({ type, status }) => type === 'Ready' && status === 'True');
      const at = Date.parse(ready?.lastTransitionTime ?? '');
      return Number.isNaN(at) ? [] : [at - Date.parse(pod.metadata.creationTimestamp)];
    })
    .slice(0, SAMPLES)
    .toSorted((a, b) => a - b);
  if (took.length === 0) return DEFAULT_MS;
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, took[Math.floor((took.length - 1) * 0.75)]!));
}
