import type { Pod } from '@podwright/kube/objects';
import { FINALIZER } from '@podwright/api/names';
import { pendingBecause } from '../pods/pod-failure.ts';
import { hasDoor, isReady } from '../pods/pod-state.ts';
import { holderWords, isProfileTaken } from '../profiles/holder.ts';
import { type Draft, conditionOf, instant, isTrue, lookAgain, setCondition, setPhase } from './draft.ts';
import { tellDrain } from './draining.ts';
import { startDeadline } from './ending.ts';
import { live } from './live.ts';
import type { Observation } from './observation.ts';
import { tellPod, tellProofs } from './pod-facts.ts';

/** How long a refused pod waits before it is tried again; with a used-up quota the namespace's gate says. */
const CREATE_AGAIN_MS = 3_000;
/** How long between two looks at a pod that is bound and not verified yet. */
const VERIFY_AGAIN_MS = 200;

/** A session that has its place: pod, bind, profile, proofs, Ready. Each pass goes as far as the facts allow. */
export function start(draft: Draft, observation: Observation): void {
  const { session, pods, now } = observation;
  if (!session.metadata.finalizers?.includes(FINALIZER)) draft.effects.push({ do: 'addFinalizer' });
  const [pod, ...others] = pods;
  // From a create whose answer was lost while a warm pod was claimed: one session, one pod.
  for (const other of others) draft.effects.push({ do: 'deletePod', pod: other, graceSeconds: 0 });
  if (session.status?.readyAt === undefined) {
    setCondition(draft, now, 'Ready', 'False', 'NotReady', 'it is starting');
  }
  if (claimProfile(draft, observation)) {
    if (pod) {
      tellPod(draft, observation, pod);
      tellDrain(draft, observation, pod);
    } else assign(draft, observation);
    if (pod && session.status?.readyAt !== undefined) live(draft, observation, pod);
    else if (pod) bringUp(draft, observation, pod);
  }
  const deadline = startDeadline(observation);
  if (draft.status.readyAt === undefined && deadline !== undefined) lookAgain(draft, deadline);
}

/** A profile that is to be written back has one holder. False: somebody else has it. */
function claimProfile(draft: Draft, { session, profile, now }: Observation): boolean {
  const { profileRef } = session.spec;
  if (!profileRef || session.status?.readyAt !== undefined) return true;
  if (profileRef.mode === 'ReadOnly' || profile?.status?.holder?.sessionUID === session.metadata.uid) return true;
  if (profile && isProfileTaken(session, profile)) {
    const message = holderWords(profile);
    setPhase(draft, 'Starting', 'ProfileInUse', message);
    setCondition(draft, now, 'ProfileLoaded', 'False', 'ProfileInUse', message);
    return false;
  }
  draft.effects.push({ do: 'claimProfile' });
  return false;
}

function assign(draft: Draft, { now, warmPods, memory, createsPaused }: Observation): void {
  if (warmPods > 0) {
    setPhase(draft, 'Starting', 'PodPending', 'a pod is being found');
    draft.effects.push({ do: 'claimWarm' });
    return;
  }
  const refused = createsPaused?.failure ?? memory.createRefused;
  if (refused) {
    setPhase(draft, 'Starting', refused.reason, refused.message);
    setCondition(draft, now, 'PodAssigned', 'False', refused.reason, refused.message);
  } else setPhase(draft, 'Starting', 'PodPending', 'a pod is being found');
  const again = createsPaused?.until ?? (memory.createRefused ? againAfter(memory.createRefused) : now);
  if (now < again) lookAgain(draft, again);
  else draft.effects.push({ do: 'createPod' });
}

/** Of a used-up quota the gate keeps the time, and it is open. */
const againAfter = ({ reason, at }: { reason: string; at: number }): number =>
  reason === 'QuotaExceeded' ? at : at + CREATE_AGAIN_MS;

function bringUp(draft: Draft, observation: Observation, pod: Pod): void {
  const { now, memory, session } = observation;
  const { uid } = pod.metadata;
  const bound = memory.bound?.podUid === uid ? memory.bound : undefined;
  if (!bound) {
    if (isReady(pod) || memory.doorReady === uid) {
      setPhase(draft, 'Starting', 'Binding', `pod ${pod.metadata.name} is up`);
      setCondition(draft, now, 'BrowserReady', 'False', 'Binding', `attempt ${(memory.bindAttempts ?? 0) + 1}`);
      draft.effects.push({ do: 'bind', pod });
    } else {
      const { reason, message } = pendingBecause(pod);
      setPhase(draft, 'Starting', reason, message);
      setCondition(draft, now, 'BrowserReady', 'False', reason, message);
      if (hasDoor(pod)) draft.effects.push({ do: 'awaitDoor', pod });
    }
    return;
  }
  const { answer } = bound;
  setPhase(draft, 'Starting', 'Bound', answer.notReadyBecause ?? 'the pod serves this session');
  if (answer.ready) setCondition(draft, now, 'BrowserReady', 'True', 'BrowserAnswered', answer.browserVersion ?? '');
  else setCondition(draft, now, 'BrowserReady', 'False', 'NotReady', answer.notReadyBecause ?? '');
  tellProofs(draft, observation);
  if (session.spec.profileRef && !isProfileSettled(draft)) tellProfile(draft, observation, pod);
  if (everythingHolds(draft, observation)) {
    draft.status.readyAt = instant(now);
    live(draft, observation, pod);
  } else if (!answer.ready || !answer.isolation.checked || answer.sandbox === null) {
    // The pod finds out by itself; asking again is a bind of the same session, which changes nothing.
    if (now - bound.at >= VERIFY_AGAIN_MS) draft.effects.push({ do: 'bind', pod });
    else lookAgain(draft, bound.at + VERIFY_AGAIN_MS);
  }
}

/** Loaded, or known to be of no use any more. */
function isProfileSettled(draft: Draft): boolean {
  const condition = conditionOf(draft.status, 'ProfileLoaded');
  return condition?.status === 'True' || condition?.reason === 'ProfileExpired';
}

function tellProfile(draft: Draft, { session, memory, now }: Observation, pod: Pod): void {
  if (memory.profileLoaded?.podUid !== pod.metadata.uid) {
    setCondition(draft, now, 'ProfileLoaded', 'False', 'NotReady', 'it is being loaded');
    draft.effects.push({ do: 'loadProfile', pod });
    return;
  }
  const name = session.spec.profileRef!.name;
  const { outcome, version, capturedAt, expiresAt, missing } = memory.profileLoaded.answer;
  if (outcome === 'Expired') {
    const words = `profile ${name} of ${capturedAt} expired at ${expiresAt} and was not loaded`;
    setCondition(draft, now, 'ProfileLoaded', 'False', 'ProfileExpired', words);
    return;
  }
  const which = version === null ? '' : `: version ${version} of ${capturedAt}`;
  const what = outcome === 'Empty' ? 'holds nothing yet' : `is loaded${which}`;
  const lack = missing.length === 0 ? '' : `; not loaded: ${missing.join(', ')}`;
  setCondition(draft, now, 'ProfileLoaded', 'True', 'ProfileLoaded', `profile ${name} ${what}${lack}`);
}

function everythingHolds(draft: Draft, { session, pool }: Observation): boolean {
  // With mode None the platform chose to go without; the condition still says so.
  const sandboxed = isTrue(draft.status, 'Sandboxed') || pool?.spec.sandbox?.mode === 'None';
  const profile = session.spec.profileRef === undefined || isProfileSettled(draft);
  return sandboxed && profile && isTrue(draft.status, 'BrowserReady') && isTrue(draft.status, 'Isolated');
}
