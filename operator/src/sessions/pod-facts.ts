import type { Pod } from '@podwright/kube/objects';
import { coldPodName } from '../pods/pod-names.ts';
import { type Draft, instant, lookAgain, setCondition } from './draft.ts';
import { maxDurationMs } from './limits.ts';
import type { Observation } from './observation.ts';

/** Which pod it is, where, since when and until when at the latest. */
export function tellPod(draft: Draft, { session, pool, tenant, memory, now }: Observation, pod: Pod): void {
  const { status } = draft;
  const cold = pod.metadata.name === coldPodName(session.metadata.uid);
  status.podName = pod.metadata.name;
  status.podUID = pod.metadata.uid;
  if (pod.status?.podIP !== undefined) status.podIP = pod.status.podIP;
  if (pod.spec.nodeName !== undefined) status.nodeName = pod.spec.nodeName;
  status.start = cold ? 'cold' : 'warm';
  status.startedAt ??= instant(memory.assignedAt ?? now);
  if (pool) status.expiresAt ??= instant(Date.parse(status.startedAt) + maxDurationMs(session, pool, tenant));
  const words = cold ? `pod ${pod.metadata.name} was created` : `warm pod ${pod.metadata.name} was claimed`;
  setCondition(draft, now, 'PodAssigned', 'True', cold ? 'CreatedCold' : 'ClaimedWarm', words);
  if (status.expiresAt !== undefined) lookAgain(draft, Date.parse(status.expiresAt));
}

/** Sandboxed and Isolated say what was found, never what was asked for. */
export function tellProofs(draft: Draft, { memory, pods, now }: Observation): void {
  const { sandbox, isolation } = memory.bound!.answer;
  if (sandbox === null) setCondition(draft, now, 'Sandboxed', 'Unknown', 'NotReady', 'no renderer was seen yet');
  else {
    // The runtime itself cannot be seen from inside; the pod's spec is what the API server made sure of.
    const runtimeClass = pods[0]?.spec.runtimeClassName;
    const under = runtimeClass === undefined ? '' : ` under runtime class ${runtimeClass}`;
    const facts = `${sandbox.found}${under}; renderer: ${sandbox.rendererPidLevels} PID namespaces, ${sandbox.rendererSeccompFilters} seccomp filters; capabilities ${sandbox.capabilities || 'none'}`;
    const on = sandbox.found !== 'None';
    setCondition(draft, now, 'Sandboxed', on ? 'True' : 'False', on ? 'SandboxVerified' : 'SandboxOff', facts);
  }
  if (!isolation.checked) setCondition(draft, now, 'Isolated', 'Unknown', 'NotReady', 'the canary has not run yet');
  else if (isolation.reached.length > 0)
    setCondition(draft, now, 'Isolated', 'False', 'NotIsolated', `reached ${isolation.reached.join(', ')}`);
  else setCondition(draft, now, 'Isolated', 'True', 'IsolationVerified', 'every canary connect failed');
}
