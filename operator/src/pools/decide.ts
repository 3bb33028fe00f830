import { parseDuration } from '@podwright/api/duration';
import { type BrowserPool, type BrowserPoolStatus, POOL_DEFAULTS } from '@podwright/api/kinds/pool';
import { LABEL } from '@podwright/api/names';
import type { Condition } from '@podwright/api/kinds/shared';
import { safeText } from '@podwright/api/safe-text';
import type { Pod } from '@podwright/kube/objects';
import { type Failure, pendingBecause, podFailure } from '../pods/pod-failure.ts';
import { isBroken, isClaimed, isDeleting, isReady } from '../pods/pod-state.ts';

export interface PoolObservation {
  now: number;
  pool: BrowserPool;
  /** Undefined: no tenant owns the namespace, and the pool keeps no pods. */
  templateHash: string | undefined;
  pods: Pod[];
  /** Names of nodes that take no new work. */
  cordoned: ReadonlySet<string>;
  /** When warm pods of this pool failed lately, oldest first, in milliseconds since the epoch. */
  failures: readonly number[];
  /** The API server's last refusal to create one. */
  refused: (Failure & { at: number }) | undefined;
}

export interface Removal {
  pod: Pod;
  /** Why, a bounded metric label. */
  why: 'dead' | 'outdated' | 'cordoned' | 'surplus' | 'stuck';
  words: string;
}

export interface PoolPlan {
  create: number;
  remove: Removal[];
  status: BrowserPoolStatus;
  at: number | undefined;
}

/** A pod of a template that never works must not be made and thrown away in a circle. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const REFUSED_AGAIN_MS = 5_000;

/** What becomes of the warm pods of one pool. A claimed pod is never touched here: it is its session's. */
export function decidePool(observation: PoolObservation): PoolPlan {
  const { pool, pods, templateHash, now } = observation;
  const idle = pods.filter((pod) => !isClaimed(pod) && !isDeleting(pod));
  const deleting = pool.metadata.deletionTimestamp !== undefined || templateHash === undefined;
  const target = deleting ? 0 : (pool.spec.warm?.min ?? 0);
  const remove: Removal[] = [];
  const stuckAfter = parseDuration(pool.spec.lifetime?.startTimeout ?? POOL_DEFAULTS.startTimeout);
  let at: number | undefined;
  const lookAgain = (instant: number): number => (at = Math.min(at ?? instant, instant));

  const usable: Pod[] = [];
  for (const pod of idle) {
    const failed = podFailure(pod);
    const stuckAt = Date.parse(pod.metadata.creationTimestamp) + stuckAfter;
    if (isBroken(pod) || failed) remove.push({ pod, why: 'dead', words: failed?.message ?? 'it ended' });
    else if (observation.cordoned.has(pod.spec.nodeName ?? ''))
      remove.push({ pod, why: 'cordoned', words: 'its node is cordoned' });
    else if (!isReady(pod) && now >= stuckAt) remove.push({ pod, why: 'stuck', words: pendingBecause(pod).message });
    else {
      if (!isReady(pod)) lookAgain(stuckAt);
      usable.push(pod);
    }
  }
  const current = usable.filter((pod) => pod.metadata.labels?.[LABEL.templateHash] === templateHash);
  const outdated = usable.filter((pod) => !current.includes(pod));
  const ready = current.filter(isReady);
  // Old pods can still be claimed by nobody, so they go as soon as as many new ones are ready, or at once when none is wanted.
  const keep = Math.max(0, target - ready.length);
  for (const pod of outdated.toSorted(byAge).slice(keep))
    remove.push({ pod, why: 'outdated', words: 'its template is old' });
  const surplus = Math.max(0, current.length - target);
  const leastUseful = current.toSorted((a, b) => Number(isReady(a)) - Number(isReady(b)) || byAge(b, a));
  for (const pod of leastUseful.slice(0, surplus))
    remove.push({ pod, why: 'surplus', words: 'more are warm than wanted' });

  const missing = Math.max(0, target - current.length);
  const pausedUntil = pauseAfter(observation);
  if (missing > 0 && pausedUntil > now) lookAgain(pausedUntil);
  const create = pausedUntil > now ? 0 : missing;
  const last = remove.find(({ why }) => why === 'dead' || why === 'stuck');
  return {
    create,
    remove,
    at,
    status: statusOf(observation, { target, ready: ready.length, current: current.length, last }),
  };
}

const byAge = (a: Pod, b: Pod): number => a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp);

function pauseAfter({ failures, refused }: PoolObservation): number {
  const lastFailure = failures.at(-1);
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures.length - 1, 10));
  const afterFailure = lastFailure === undefined || failures.length < 2 ? 0 : lastFailure + pause;
  return Math.max(afterFailure, refused === undefined ? 0 : refused.at + REFUSED_AGAIN_MS);
}

function statusOf(
  { pool, pods, templateHash, now, refused, failures }: PoolObservation,
  counts: { target: number; ready: number; current: number; last: Removal | undefined },
): BrowserPoolStatus {
  const previous = pool.status?.conditions ?? [];
  const generation = pool.metadata.generation;
  const condition = (type: string, status: Condition['status'], reason: string, message: string): Condition => {
    const before = previous.find((one) => one.type === type);
    return {
      type,
      status,
      reason,
      message: safeText(message, 600),
      lastTransitionTime: before?.status === status ? before.lastTransitionTime : new Date(now).toISOString(),
      ...(generation !== undefined && { observedGeneration: generation }),
    };
  };
  const known = previous.find((one) => one.type === 'Degraded' && one.status === 'True');
  const trouble = refused
    ? { reason: refused.reason as string, message: refused.message }
    : counts.last
      ? { reason: 'PodFailed', message: `${counts.last.pod.metadata.name}: ${counts.last.words}` }
      : failures.length > 0 && counts.ready < counts.target && known
        ? { reason: known.reason, message: known.message }
        : undefined;
  const isWarm = counts.ready >= counts.target;
  const warmWords = `${counts.ready} of ${counts.target} warm pods are ready`;
  const noTenant = 'no BrowserTenant has this namespace';
  return {
    warm: counts.ready,
    starting: counts.current - counts.ready,
    claimed: pods.filter((pod) => isClaimed(pod) && !isDeleting(pod)).length,
    target: counts.target,
    ...(templateHash !== undefined && { templateHash }),
    ...(generation !== undefined && { observedGeneration: generation }),
    conditions: [
      templateHash === undefined
        ? condition('Ready', 'False', 'UnknownTenant', noTenant)
        : condition('Ready', isWarm ? 'True' : 'False', isWarm ? 'Warm' : 'Warming', warmWords),
      trouble
        ? condition('Degraded', 'True', trouble.reason, trouble.message)
        : condition('Degraded', 'False', 'Fine', 'pods of this pool start'),
    ],
  };
}
