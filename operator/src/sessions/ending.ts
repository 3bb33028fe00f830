import { parseDuration } from '@podwright/api/duration';
import { SESSION_REASONS, type SessionReason } from '@podwright/api/conditions';
import { type Phase, STOP_REASONS } from '@podwright/api/kinds/session';
import { TENANT_DEFAULTS } from '@podwright/api/kinds/tenant';
import type { SandboxMode } from '@podwright/api/kinds/pool';
import type { PodStatus } from '@podwright/api/pod-door';
import { type Failure, pendingBecause, podFailure } from '../pods/pod-failure.ts';
import { NODE_CACHE_LAG_MS, NODE_SILENCE_MS, notReadySince } from '../pods/pod-state.ts';
import { drainOver } from './draining.ts';
import { conditionOf, instant, isTrue } from './draft.ts';
import { holderWords, isProfileTaken } from '../profiles/holder.ts';
import { startTimeoutMs } from './limits.ts';
import type { Observation } from './observation.ts';
import { validate } from './validate.ts';

const STOPPED: ReadonlySet<string> = new Set([...STOP_REASONS.filter((reason) => reason !== 'Refused'), 'Deleted']);

/** The last phase of a session that ended for `reason`. */
export function terminalPhase(reason: string | undefined): Phase {
  if (reason === 'Expired') return 'TimedOut';
  if (reason === undefined) return 'Failed';
  // A reason of a newer version came by `stop`: nothing else takes words that this one does not know.
  return STOPPED.has(reason) || !(reason in SESSION_REASONS) ? 'Stopped' : 'Failed';
}

/**
 * Why this session has to end, or undefined while it may go on. The first reason that holds is latched in status and
 * stays; the order below is the order of authority: people, then facts, then clocks.
 */
export function endingOf(observation: Observation): Failure | undefined {
  const { session, status } = { session: observation.session, status: observation.session.status };
  if (status?.stoppingAt !== undefined) {
    return { reason: (status.reason ?? 'Asked') as SessionReason, message: status.message ?? '' };
  }
  if (session.metadata.deletionTimestamp !== undefined) return { reason: 'Deleted', message: 'the object was deleted' };
  if (observation.namespaceTerminating) return { reason: 'Deleted', message: 'its namespace is being deleted' };
  const { stop } = session.spec;
  if (stop) {
    const by = stop.by === undefined ? '' : ` (by ${stop.by})`;
    // A newer version may know reasons that this one does not; the word is kept, and the session stops all the same.
    const words: string | undefined = SESSION_REASONS[stop.reason];
    return { reason: stop.reason, message: `${words ?? SESSION_REASONS.Asked}${by}` };
  }
  if (status?.tenant !== undefined && observation.tenant === undefined) {
    return { reason: 'TenantRemoved', message: `tenant ${status.tenant} does not exist any more` };
  }
  return (
    lostPod(observation) ??
    beforePod(observation) ??
    brokenPod(observation) ??
    drainOver(observation) ??
    clocks(observation)
  );
}

function beforePod(observation: Observation): Failure | undefined {
  const { session, now, verdict } = observation;
  if (session.status?.podUID !== undefined) return undefined;
  const validity = validate(observation);
  if (validity.state === 'wrong') return validity.failure;
  const taken = profileTaken(observation);
  if (taken) return taken;
  if (verdict?.state === 'refused') return { reason: verdict.reason, message: verdict.message };
  const wait = session.spec.lifetime?.maxQueueWait;
  const createdAt = Date.parse(session.metadata.creationTimestamp);
  const isOver = wait !== undefined && !observation.clockHeld;
  if (isOver && !isTrue(session.status, 'Admitted') && now >= createdAt + parseDuration(wait)) {
    return { reason: 'QueueTimeout', message: `it waited for ${wait}, which is its maxQueueWait` };
  }
  return undefined;
}

/** A second writer ends, unless its tenant wants it to wait. A holder that is on its way out is waited for in any case. */
function profileTaken({ session, profile, profileHolder, tenant, pods }: Observation): Failure | undefined {
  if (pods.length > 0 || !profile || !isProfileTaken(session, profile) || profileHolder !== 'alive') return undefined;
  if ((tenant?.spec.whenProfileBusy ?? TENANT_DEFAULTS.whenProfileBusy) === 'Wait') return undefined;
  return { reason: 'ProfileInUse', message: holderWords(profile) };
}

function lostPod({ session, pods, nodeGone }: Observation): Failure | undefined {
  const { podUID, podName, nodeName } = session.status ?? {};
  if (podUID === undefined || pods.some((pod) => pod.metadata.uid === podUID)) return undefined;
  return nodeGone
    ? { reason: 'NodeLost', message: `pod ${podName} is gone with node ${nodeName}` }
    : { reason: 'PodLost', message: `pod ${podName} is gone, and this operator did not delete it` };
}

function brokenPod(observation: Observation): Failure | undefined {
  const { pods, pool, memory, node, nodeGone, now } = observation;
  const [pod] = pods;
  if (!pod) return undefined;
  const broken = podFailure(pod);
  if (broken) return broken;
  const age = now - Date.parse(pod.metadata.creationTimestamp);
  if (nodeGone && age >= NODE_CACHE_LAG_MS) return { reason: 'NodeLost', message: `node ${pod.spec.nodeName} is gone` };
  const silentSince = node ? notReadySince(node) : undefined;
  if (silentSince !== undefined && now - silentSince >= NODE_SILENCE_MS) {
    return { reason: 'NodeLost', message: `node ${pod.spec.nodeName} has not answered since ${instant(silentSince)}` };
  }
  if (memory.bindFailure) return memory.bindFailure;
  if (memory.profileFailure) return memory.profileFailure;
  if (memory.bound?.podUid !== pod.metadata.uid) return undefined;
  const { sandbox, isolation } = memory.bound.answer;
  const mode = pool?.spec.sandbox?.mode ?? 'Auto';
  if (sandbox && !isSandboxAsAsked(mode, sandbox.found)) {
    return { reason: 'SandboxOff', message: `sandbox mode ${mode} was asked for, ${sandbox.found} was found` };
  }
  // Policies reach a node some time after the pod has started: what a canary reaches counts when the pod has given up trying.
  if (isolation.checked && isolation.reached.length > 0) {
    return { reason: 'NotIsolated', message: `the browser container reached ${isolation.reached.join(', ')}` };
  }
  return undefined;
}

export function isSandboxAsAsked(mode: SandboxMode, found: NonNullable<PodStatus['sandbox']>['found']): boolean {
  switch (mode) {
    case 'None':
      return true;
    case 'Auto':
      return found !== 'None';
    case 'Seccomp':
      return found === 'Seccomp' || found === 'UserNamespace';
    default:
      return found === mode;
  }
}

function clocks(observation: Observation): Failure | undefined {
  const { session, pods, now } = observation;
  const { status } = session;
  if (observation.clockHeld) return undefined;
  if (status?.expiresAt !== undefined && now >= Date.parse(status.expiresAt)) {
    return { reason: 'Expired', message: `its maximum duration ended at ${status.expiresAt}` };
  }
  if (status?.readyAt !== undefined || !isTrue(status, 'Admitted')) return undefined;
  const deadline = startDeadline(observation);
  if (deadline === undefined || now < deadline) return undefined;
  const assigned = conditionOf(status, 'PodAssigned');
  const [pod] = pods;
  if (!pod) return { reason: (assigned?.reason ?? 'StartTimeout') as SessionReason, message: assigned?.message ?? '' };
  const pending = pendingBecause(pod);
  if (pending.reason !== 'PodPending') return pending;
  return { reason: 'StartTimeout', message: `not ready within the startTimeout of its pool: ${pending.message}` };
}

/**
 * When start-up ends at the latest, in milliseconds since the epoch. A used-up quota, and a profile that another session
 * holds, are waited out without one.
 */
export function startDeadline({
  session,
  pool,
  pods,
  memory,
  profile,
  createsPaused,
}: Observation): number | undefined {
  const { status } = session;
  if (pods.length === 0 && isProfileTaken(session, profile)) return undefined;
  const isHeld = [memory.createRefused?.reason, createsPaused?.failure.reason, status?.reason].includes(
    'QuotaExceeded',
  );
  if (pods.length === 0 && isHeld) return undefined;
  const since = status?.startedAt ?? conditionOf(status, 'Admitted')?.lastTransitionTime;
  return since === undefined ? undefined : Date.parse(since) + startTimeoutMs(pool);
}
