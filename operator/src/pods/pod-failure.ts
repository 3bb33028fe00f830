import type { SessionReason } from '@podwright/api/conditions';
import { LAUNCHER_EXIT } from '@podwright/api/pod-launcher';
import { safeText } from '@podwright/api/safe-text';
import type { ContainerStatus, Pod } from '@podwright/kube/objects';
import { containerOf, isDeleting } from './pod-state.ts';

export interface Failure {
  reason: SessionReason;
  message: string;
}

/** Waiting reasons of a container after which it will not start by itself. */
const PULL_FAILURES = new Set(['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull']);
const CREATE_FAILURES = new Set(['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError']);

/**
 * Why a pod cannot serve its session any more, told by the exit facts; undefined while nothing is wrong.
 * What is only slow (pulling, unschedulable) is no failure: the start timeout ends it, with `pendingBecause` as its reason.
 */
export function podFailure(pod: Pod): Failure | undefined {
  const disruption = pod.status?.conditions?.find(
    ({ type, status }) => type === 'DisruptionTarget' && status === 'True',
  );
  if (pod.status?.reason === 'Evicted') return failure('Evicted', pod.status.message ?? 'the kubelet evicted the pod');
  if (pod.status?.reason === 'NodeLost') return failure('NodeLost', pod.status.message ?? 'the node was lost');
  if (disruption?.reason === 'EvictionByEvictionAPI')
    return failure('NodeDraining', disruption.message ?? 'the pod was evicted through the eviction API');
  if (disruption?.reason === 'DeletionByTaintManager')
    return failure('NodeLost', disruption.message ?? 'the node was tainted and the pod deleted');
  if (disruption !== undefined)
    return failure('Evicted', `${disruption.reason ?? 'disruption'}: ${disruption.message ?? ''}`);
  if (pod.status?.reason === 'DeadlineExceeded')
    return failure('Expired', 'the pod reached its own last deadline (activeDeadlineSeconds)');

  const browser = containerOf(pod, 'browser');
  const supervisor = containerOf(pod, 'supervisor');
  const ended = [browser, supervisor].filter((status) => status?.state?.terminated !== undefined);
  const killed = ended.find((status) => status?.state?.terminated?.reason === 'OOMKilled');
  if (killed) return failure('OOMKilled', `container ${killed.name}: ${exitFacts(killed)}`);
  if (browser?.state?.terminated) {
    const byChromium = browser.state.terminated.exitCode === LAUNCHER_EXIT.chromium;
    return failure(byChromium ? 'BrowserCrashed' : 'PodFailed', `container browser: ${exitFacts(browser)}`);
  }
  if (supervisor?.state?.terminated) return failure('PodFailed', `container supervisor: ${exitFacts(supervisor)}`);
  for (const status of pod.status?.containerStatuses ?? []) {
    const waiting = status.state?.waiting;
    if (waiting?.reason === undefined) continue;
    const words = `container ${status.name}: ${waiting.reason}: ${waiting.message ?? ''}`;
    if (PULL_FAILURES.has(waiting.reason) && waiting.reason !== 'ErrImagePull')
      return failure('ImagePullFailed', words);
    if (CREATE_FAILURES.has(waiting.reason)) return failure('PodFailed', words);
  }
  if (pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded')
    return failure('PodFailed', pod.status.message ?? pod.status.reason ?? 'the pod ended');
  if (isDeleting(pod)) return failure('PodLost', 'somebody else deleted the pod');
  return undefined;
}

/** Why a pod is not up yet, for people: what it waits for. */
export function pendingBecause(pod: Pod): Failure {
  const scheduled = pod.status?.conditions?.find((condition) => condition.type === 'PodScheduled');
  if (scheduled?.status === 'False') return failure('Unschedulable', scheduled.message ?? 'no node has room');
  for (const status of pod.status?.containerStatuses ?? []) {
    const waiting = status.state?.waiting;
    if (waiting?.reason && PULL_FAILURES.has(waiting.reason))
      return failure('ImagePullFailed', `container ${status.name}: ${waiting.reason}: ${waiting.message ?? ''}`);
    if (waiting?.reason) return failure('PodPending', `container ${status.name}: ${waiting.reason}`);
  }
  return pod.spec.nodeName === undefined
    ? failure('PodPending', 'the pod waits for a node')
    : failure('PodPending', 'the browser is starting');
}

function exitFacts(status: ContainerStatus): string {
  const { exitCode, signal, reason, message } = status.state?.terminated ?? { exitCode: -1 };
  const facts = [`exit code ${exitCode}`, signal ? `signal ${signal}` : '', reason ?? '', message ?? ''];
  return facts.filter((fact) => fact !== '').join(', ');
}

const failure = (reason: SessionReason, message: string): Failure => ({ reason, message: safeText(message, 600) });
