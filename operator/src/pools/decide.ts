import { parseDuration } from '@podwright/api/duration';
import { type BrowserPool, type BrowserPoolStatus, POOL_DEFAULTS } from '@podwright/api/kinds/pool';
import { LABEL } from '@podwright/api/names';
import type { Pod } from '@podwright/kube/objects';
import { type Failure, pendingBecause, podFailure } from '../pods/pod-failure.ts';
import { type NodeState, isBroken, isClaimed, isDeleting, isReady } from '../pods/pod-state.ts';
import type { Confinement } from './confinement.ts';
import { poolStatus } from './status.ts';

export interface PoolObservation {
  now: number;
  pool: BrowserPool;
  /** Undefined: no tenant owns the namespace, and the pool keeps no pods. */
  templateHash: string | undefined;
  pods: Pod[];
  confinement: Confinement;
  nodeState: (pod: Pod) => NodeState;
  /** Warm pods that are wanted, as target.ts says. */
  target: number;
  /** When warm pods of this pool failed lately, oldest first, in milliseconds since the epoch. */
  failures: readonly number[];
  /** The API server's last refusal to create one. */
  refused: (Failure & { at: number }) | undefined;
  /** No pod is to be created in the namespace before this instant (a used-up quota). */
  pausedUntil: number | undefined;
  /** What is left of a tenant that was removed; undefined while there is one, or none ever was. */
  leftovers: { sessions: number; pods: number } | undefined;
}

export interface Removal {
  pod: Pod;
  /** Why, a bounded metric label. */
  why: 'dead' | 'outdated' | 'cordoned' | 'lost' | 'surplus' | 'stuck';
  words: string;
}

export interface PoolPlan {
  create: number;
  remove: Removal[];
  status: BrowserPoolStatus;
  at: number | undefined;
}

/** Warm pods by what can be expected of them. */
interface Sorted {
  unfit: Removal[];
  current: Pod[];
  outdated: Pod[];
  /** Earliest instant at which one that is starting has taken too long. */
  at: number | undefined;
}

/** A pod of a template that never works must not be made and thrown away in a circle. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const REFUSED_AGAIN_MS = 5_000;

/** What becomes of the warm pods of one pool. A claimed pod is never touched here: it is its session's. */
export function decidePool(observation: PoolObservation): PoolPlan {
  const { pool, templateHash, now } = observation;
  const ends = pool.metadata.deletionTimestamp !== undefined || templateHash === undefined;
  // What a pool may not have it does not get; its sessions are told the same.
  const target = ends || observation.confinement.reason === 'NotAllowed' ? 0 : observation.target;
  const sorted = sortPods(observation);
  const { current, outdated } = sorted;
  const isFit = (pod: Pod): boolean => isReady(pod) && observation.nodeState(pod) === 'good';
  const pausedUntil = pauseAfter(observation);
  const isPaused = pausedUntil > now;

  const surplus = Math.max(0, current.length + outdated.length - target);
  const replaced = isPaused ? 0 : replaceable(observation, sorted, target, isFit);
  // Nobody can claim an old pod, so one that is not even ready is of no use to anybody.
  const rolled = inOrderOfUse(outdated, isFit).slice(
    0,
    Math.max(surplus, replaced, outdated.filter((pod) => !isFit(pod)).length),
  );
  const excess = inOrderOfUse(current, isFit).slice(0, Math.max(0, surplus - rolled.length));
  const remove: Removal[] = [
    ...sorted.unfit,
    ...rolled.map((pod) => ({ pod, why: 'outdated' as const, words: 'its template is old' })),
    ...excess.map((pod) => ({ pod, why: 'surplus' as const, words: 'more are warm than wanted' })),
  ];
  const missing = Math.max(0, target - current.length - (outdated.length - rolled.length));
  const at = [sorted.at, missing > 0 && isPaused ? pausedUntil : undefined].filter((one) => one !== undefined);
  const kept = current.filter((pod) => !excess.includes(pod));
  return {
    create: isPaused ? 0 : missing,
    remove,
    at: at.length === 0 ? undefined : Math.min(...at),
    status: poolStatus(observation, {
      target,
      ready: kept.filter(isFit).length,
      current: kept.length,
      outdated: outdated.length - rolled.length,
      last: sorted.unfit.find(({ why }) => why === 'dead' || why === 'stuck'),
    }),
  };
}

function sortPods({ pool, pods, templateHash, now, nodeState }: PoolObservation): Sorted {
  const stuckAfter = parseDuration(pool.spec.lifetime?.startTimeout ?? POOL_DEFAULTS.startTimeout);
  const sorted: Sorted = { unfit: [], current: [], outdated: [], at: undefined };
  const unfit = (pod: Pod, why: Removal['why'], words: string): number => sorted.unfit.push({ pod, why, words });
  for (const pod of pods) {
    if (isClaimed(pod) || isDeleting(pod)) continue;
    const failed = podFailure(pod);
    const node = nodeState(pod);
    const stuckAt = Date.parse(pod.metadata.creationTimestamp) + stuckAfter;
    if (isBroken(pod) || failed) unfit(pod, 'dead', failed?.message ?? 'it ended');
    else if (node === 'cordoned') unfit(pod, 'cordoned', 'its node is cordoned');
    else if (node === 'lost') unfit(pod, 'lost', 'its node is gone or does not answer');
    else if (!isReady(pod) && now >= stuckAt) unfit(pod, 'stuck', pendingBecause(pod).message);
    else {
      if (!isReady(pod)) sorted.at = Math.min(sorted.at ?? stuckAt, stuckAt);
      (pod.metadata.labels?.[LABEL.templateHash] === templateHash ? sorted.current : sorted.outdated).push(pod);
    }
  }
  return sorted;
}

/**
 * Old pods that may go now. Until a pod of the new template has worked, no more than `maxUnavailable` are missing from the
 * target, whatever the reason: a template that does not work stops there. After that only what is on its way counts, so
 * that a pool whose pods are claimed as soon as they are ready gets through as well.
 */
function replaceable(
  { pool, pods, templateHash }: PoolObservation,
  { unfit, current, outdated }: Sorted,
  target: number,
  isFit: (pod: Pod) => boolean,
): number {
  const maxUnavailable = pool.spec.updateStrategy?.maxUnavailable ?? POOL_DEFAULTS.maxUnavailable;
  const isProven = pods.some((pod) => pod.metadata.labels?.[LABEL.templateHash] === templateHash && isReady(pod));
  const onTheirWay = current.filter((pod) => !isFit(pod)).length + unfit.length;
  const missing = target - [...current, ...outdated].filter(isFit).length;
  return Math.max(0, maxUnavailable - (isProven ? onTheirWay : Math.max(onTheirWay, missing)));
}

/** Those first that are missed least: not ready, then the youngest. */
const inOrderOfUse = (pods: readonly Pod[], isFit: (pod: Pod) => boolean): Pod[] =>
  pods.toSorted(
    (a, b) =>
      Number(isFit(a)) - Number(isFit(b)) || b.metadata.creationTimestamp.localeCompare(a.metadata.creationTimestamp),
  );

function pauseAfter({ failures, refused, pausedUntil }: PoolObservation): number {
  const lastFailure = failures.at(-1);
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures.length - 1, 10));
  const afterFailure = lastFailure === undefined || failures.length < 2 ? 0 : lastFailure + pause;
  return Math.max(afterFailure, refused === undefined ? 0 : refused.at + REFUSED_AGAIN_MS, pausedUntil ?? 0);
}
