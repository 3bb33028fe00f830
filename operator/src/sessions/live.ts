import type { Phase } from '@podwright/api/kinds/session';
import type { Pod } from '@podwright/kube/objects';
import { NODE_SILENCE_MS, notReadySince } from '../pods/pod-state.ts';
import { type Draft, conditionOf, lookAgain, setCondition, setPhase } from './draft.ts';
import type { Observation } from './observation.ts';

/** A session with a browser that answered: Ready, Running or Idle by the state of its run, which the gateway writes. */
export function live(draft: Draft, observation: Observation, pod: Pod): void {
  const { session, now, node } = observation;
  const { status } = draft;
  const phase = phaseOf(session.status?.run?.state);
  const silentSince = node ? notReadySince(node) : undefined;
  if (silentSince !== undefined) {
    const words = `node ${pod.spec.nodeName} does not answer`;
    setCondition(draft, now, 'BrowserReady', 'Unknown', 'NodeLost', words);
    lookAgain(draft, silentSince + NODE_SILENCE_MS);
  } else if (stoppedAnswering(pod, status.readyAt)) {
    setCondition(draft, now, 'BrowserReady', 'False', 'NotReady', 'the pod does not pass its readiness probe');
  } else if (conditionOf(status, 'BrowserReady')?.status !== 'True') {
    setCondition(draft, now, 'BrowserReady', 'True', 'BrowserAnswered', 'the pod answers again');
  }
  if (conditionOf(status, 'BrowserReady')?.status === 'True') {
    setCondition(draft, now, 'Ready', 'True', 'Ready', 'the session can be used');
    setPhase(draft, phase, 'Ready', 'the session can be used');
  } else {
    const { reason, message } = conditionOf(status, 'BrowserReady')!;
    setCondition(draft, now, 'Ready', 'False', 'NotReady', message);
    setPhase(draft, phase, reason === 'NodeLost' ? 'NodeLost' : 'NotReady', message);
  }
  if (status.expiresAt !== undefined) lookAgain(draft, Date.parse(status.expiresAt));
}

function phaseOf(run: string | undefined): Phase {
  if (run === undefined || run === 'queued') return 'Ready';
  return run === 'running' ? 'Running' : 'Idle';
}

/**
 * The kubelet saw the probe pass and later fail. That it never passed says nothing: a cold pod is asked directly and
 * is Ready before the kubelet's first probe.
 */
function stoppedAnswering(pod: Pod, readyAt: string | undefined): boolean {
  const ready = pod.status?.conditions?.find((condition) => condition.type === 'Ready');
  if (ready === undefined || ready.status === 'True') return false;
  return Date.parse(ready.lastTransitionTime ?? '') > Date.parse(readyAt ?? '');
}
