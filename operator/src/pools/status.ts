import type { PoolConditionType, PoolReason } from '@podwright/api/conditions';
import type { BrowserPoolStatus } from '@podwright/api/kinds/pool';
import type { Condition } from '@podwright/api/kinds/shared';
import { safeText } from '@podwright/api/safe-text';
import { isClaimed, isDeleting } from '../pods/pod-state.ts';
import type { PoolObservation, Removal } from './decide.ts';

export interface PoolCounts {
  target: number;
  /** Warm pods that can be claimed now, and all of the present template. */
  ready: number;
  current: number;
  outdated: number;
  /** The failure that was found in this pass. */
  last: Removal | undefined;
}

/** What `kubectl get bpool` tells. Transition times move only when a condition does. */
export function poolStatus(observation: PoolObservation, counts: PoolCounts): BrowserPoolStatus {
  const { pool, pods, templateHash, now } = observation;
  const generation = pool.metadata.generation;
  const condition = (
    type: PoolConditionType,
    { status, reason, message }: { status: Condition['status']; reason: string; message: string },
  ): Condition => {
    const before = pool.status?.conditions?.find((one) => one.type === type);
    return {
      type,
      status,
      reason,
      message: safeText(message, 600),
      lastTransitionTime: before?.status === status ? before.lastTransitionTime : new Date(now).toISOString(),
      ...(generation !== undefined && { observedGeneration: generation }),
    };
  };
  const trouble = troubleOf(observation, counts);
  return {
    warm: counts.ready,
    starting: counts.current - counts.ready,
    claimed: pods.filter((pod) => isClaimed(pod) && !isDeleting(pod)).length,
    target: counts.target,
    ...(counts.outdated > 0 && { outdated: counts.outdated }),
    ...(templateHash !== undefined && { templateHash }),
    ...(generation !== undefined && { observedGeneration: generation }),
    conditions: [
      condition('Ready', readyOf(observation, counts)),
      condition(
        'Degraded',
        trouble
          ? { status: 'True', ...trouble }
          : { status: 'False', reason: 'Fine' satisfies PoolReason, message: 'pods of this pool start' },
      ),
      condition('Confined', confinedOf(observation, counts)),
    ],
  };
}

function readyOf(
  { templateHash, leftovers }: PoolObservation,
  { ready, target }: PoolCounts,
): { status: Condition['status']; reason: PoolReason; message: string } {
  if (leftovers) {
    const { sessions, pods } = leftovers;
    const message = `the tenant was removed; ${sessions} sessions are being stopped and ${pods} pods are left`;
    return { status: 'False', reason: 'TenantRemoved', message };
  }
  if (templateHash === undefined) {
    return { status: 'False', reason: 'UnknownTenant', message: 'no BrowserTenant has this namespace' };
  }
  const message = `${ready} of ${target} warm pods are ready`;
  return ready >= target
    ? { status: 'True', reason: 'Warm', message }
    : { status: 'False', reason: 'Warming', message };
}

/** The pods that showed what a node lacks are gone with it; it stands until others start. */
function confinedOf(
  { pool, confinement, failures }: PoolObservation,
  { ready, target }: PoolCounts,
): { status: Condition['status']; reason: string; message: string } {
  const gap = pool.status?.conditions?.find(({ type, reason }) => type === 'Confined' && reason === 'NodeLacks');
  const stands = gap && failures.length > 0 && ready < target && confinement.status === 'True';
  return stands ? { status: 'False', reason: gap.reason, message: gap.message } : confinement;
}

/** Why pods of this pool do not start, undefined when they do. Kept until enough of them have. */
function troubleOf(
  { pool, refused, failures }: PoolObservation,
  { last, ready, target }: PoolCounts,
): { reason: string; message: string } | undefined {
  if (refused) return { reason: refused.reason, message: refused.message };
  if (last) return { reason: 'PodFailed' satisfies PoolReason, message: `${last.pod.metadata.name}: ${last.words}` };
  const known = pool.status?.conditions?.find((one) => one.type === 'Degraded' && one.status === 'True');
  return failures.length > 0 && ready < target && known ? { reason: known.reason, message: known.message } : undefined;
}
