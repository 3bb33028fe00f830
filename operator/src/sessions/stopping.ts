import { parseDuration } from '@podwright/api/duration';
import { FINALIZER } from '@podwright/api/names';
import type { Pod } from '@podwright/kube/objects';
import type { Failure } from '../pods/pod-failure.ts';
import { hasDoor, isDeleting } from '../pods/pod-state.ts';
import { type Draft, instant, lookAgain, setCondition, setPhase } from './draft.ts';
import { terminalPhase } from './ending.ts';
import type { Observation } from './observation.ts';
import { tellPod, tellProofs } from './pod-facts.ts';

/** How long the keeper may take to fetch what a pod kept. The pod itself waits 60 s. */
export const COLLECT_MS = 55_000;
/** After this long a deleted object is let go although its pod could not be proved gone. */
const LET_GO_MS = 300_000;
/** Nothing is left to save: the supervisor ends at once, the browser container is not asked to be gentle. */
const GRACE_SECONDS = 1;

/**
 * The end of a session: doors shut and meter stopped first (that is what `stoppingAt` in status means to the gateway),
 * then what the pod kept is fetched, then the pod is deleted by UID, and only when it is gone the last phase is written.
 */
export function stop(draft: Draft, observation: Observation, why: Failure): void {
  const { pods, now, session } = observation;
  const { status } = draft;
  if (status.stoppingAt === undefined) {
    // It may end in the very pass in which its pod was found: the facts belong into status all the same.
    const [pod] = pods;
    if (pod && status.podUID === undefined) tellPod(draft, observation, pod);
    if (pod && observation.memory.bound?.podUid === pod.metadata.uid) tellProofs(draft, observation);
    draft.at = undefined;
    status.stoppingAt = instant(now);
    setPhase(draft, 'Stopping', why.reason, why.message);
    delete status.queuePosition;
    if (status.podUID === undefined) setCondition(draft, now, 'Admitted', 'False', why.reason, why.message);
    setCondition(draft, now, 'Ready', 'False', why.reason, why.message);
    draft.statusFirst = pods.length > 0;
  }
  const since = Date.parse(status.stoppingAt);
  if (pods.length > 0 && session.metadata.deletionTimestamp !== undefined && now >= since + LET_GO_MS) {
    const names = pods.map((pod) => `${pod.metadata.name} on node ${pod.spec.nodeName ?? '(none)'}`).join(', ');
    const words = `let go although this may still exist: ${names}`;
    draft.effects.push({ do: 'tombstone', words });
    end(draft, observation, `${why.message}; ${words}`);
    return;
  }
  for (const pod of pods) endPod(draft, observation, pod, since);
  if (pods.length === 0) end(draft, observation, lossOf(observation, why.message));
}

function endPod(draft: Draft, { memory, now, nodeGone, session }: Observation, pod: Pod, since: number): void {
  if (nodeGone) {
    // Nobody is left on that node to save anything or to confirm the end.
    draft.effects.push({ do: 'deletePod', pod, graceSeconds: 0 });
    return;
  }
  // Also of a pod that somebody else is deleting (a drain): it serves what it kept until its grace is over.
  const keepsSomething = session.status?.readyAt !== undefined && hasDoor(pod);
  if (keepsSomething && memory.collect?.state !== 'done' && now < since + COLLECT_MS) {
    if (memory.collect === undefined) draft.effects.push({ do: 'collect', pod });
    lookAgain(draft, since + COLLECT_MS);
    return;
  }
  const isEnding = isDeleting(pod) && (pod.metadata.deletionGracePeriodSeconds ?? 0) <= GRACE_SECONDS;
  if (isEnding) lookAgain(draft, Math.max(now + 30_000, since + LET_GO_MS));
  else draft.effects.push({ do: 'deletePod', pod, graceSeconds: GRACE_SECONDS });
}

function lossOf(observation: Observation, message: string): string {
  const { collect } = observation.memory;
  const words = collect?.state === 'done' && collect.words !== '' ? [collect.words] : [];
  return [message, ...words, ...profileLoss(observation)].join('; ');
}

/** Which version of the profile stays, when the last state of the browser could not be written back. */
function profileLoss({ memory, session, profile }: Observation): string[] {
  const { profileRef } = session.spec;
  const { readyAt, stoppingAt } = session.status ?? {};
  const { version, lastSavedAt } = profile?.status ?? {};
  const savedSince = (instant: string): boolean =>
    lastSavedAt !== undefined && Date.parse(lastSavedAt) >= Date.parse(instant);
  if (!profileRef || profileRef.mode === 'ReadOnly' || readyAt === undefined) return [];
  if (memory.collect?.state === 'done' && memory.collect.profileSaved) return [];
  // Saved after the doors were shut: nothing came later. Who saw the answer may have been another process.
  if (stoppingAt !== undefined && savedSince(stoppingAt)) return [];
  if (savedSince(readyAt)) {
    return [
      `profile ${profileRef.name} keeps version ${version ?? 0}, saved at ${lastSavedAt!}; later changes are lost`,
    ];
  }
  const kept = version === undefined ? 'stays empty' : `keeps version ${version} from before this session`;
  return [`profile ${profileRef.name} ${kept}; its changes are lost`];
}

function end(draft: Draft, observation: Observation, message: string): void {
  const { now } = observation;
  const { status } = draft;
  const reason = (status.reason ?? 'Asked') as Failure['reason'];
  setPhase(draft, terminalPhase(reason), reason, message);
  status.endedAt = instant(now);
  if (status.podUID !== undefined) {
    setCondition(draft, now, 'BrowserReady', 'False', reason, message);
    setCondition(draft, now, 'PodAssigned', 'False', reason, 'the pod is gone');
  }
  draft.statusFirst = true;
  finish(draft, observation);
}

/** A session that has ended: whatever is left of it goes, and after its ttl the object itself. */
export function finish(draft: Draft, { session, pods, profile, now, clockHeld }: Observation): void {
  const { status } = draft;
  if (profile?.status?.holder?.sessionUID === session.metadata.uid) draft.effects.push({ do: 'releaseProfile' });
  const letGo = session.metadata.deletionTimestamp !== undefined;
  if (!letGo) {
    for (const pod of pods)
      if (!isDeleting(pod)) draft.effects.push({ do: 'deletePod', pod, graceSeconds: GRACE_SECONDS });
  }
  // Ended and cleaned up: from here on deleting the object needs nobody.
  if (session.metadata.finalizers?.includes(FINALIZER)) draft.effects.push({ do: 'removeFinalizer' });
  const ttl = session.spec.lifetime?.ttlAfterFinished;
  if (ttl === undefined || letGo || status.endedAt === undefined) return;
  const goneAt = Date.parse(status.endedAt) + parseDuration(ttl);
  if (now >= goneAt && !clockHeld) draft.effects.push({ do: 'deleteSession' });
  else lookAgain(draft, goneAt);
}
