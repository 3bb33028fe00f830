import { describe, expect, test } from 'vitest';
import { type PodFacts, pod, time } from '../testing/objects.ts';
import { pendingBecause, podFailure } from './pod-failure.ts';

const disruption = (reason: string): PodFacts => ({
  deleting: true,
  status: { conditions: [{ type: 'DisruptionTarget', status: 'True', reason, message: 'm' }] },
});

describe('why a pod cannot serve any more', () => {
  test.each<[string, PodFacts, string | undefined]>([
    ['a running pod is fine', {}, undefined],
    ['a pod that is not ready yet is fine', { ready: false }, undefined],
    [
      'exit code 70 of the launcher is Chromium',
      { browser: { terminated: { exitCode: 70, message: '{"exit":"chromium"}' } } },
      'BrowserCrashed',
    ],
    ['another exit of the browser container is the pod', { browser: { terminated: { exitCode: 71 } } }, 'PodFailed'],
    [
      'the kernel killed the browser container',
      { browser: { terminated: { exitCode: 137, reason: 'OOMKilled' } } },
      'OOMKilled',
    ],
    ['the supervisor ended', { supervisor: { terminated: { exitCode: 1 } } }, 'PodFailed'],
    ['the kubelet evicted it', { phase: 'Failed', status: { reason: 'Evicted', message: 'disk' } }, 'Evicted'],
    ['its last deadline came', { phase: 'Failed', status: { reason: 'DeadlineExceeded' } }, 'Expired'],
    ['a drain', disruption('EvictionByEvictionAPI'), 'NodeDraining'],
    ['a taint', disruption('DeletionByTaintManager'), 'NodeLost'],
    ['a preemption', disruption('PreemptionByScheduler'), 'Evicted'],
    ['somebody deleted it', { deleting: true }, 'PodLost'],
    [
      'an image that is not there',
      { ready: false, browser: { waiting: { reason: 'ImagePullBackOff', message: 'x' } } },
      'ImagePullFailed',
    ],
    [
      'a first failed pull may be a hiccup',
      { ready: false, browser: { waiting: { reason: 'ErrImagePull' } } },
      undefined,
    ],
    [
      'a container that cannot be made',
      { ready: false, browser: { waiting: { reason: 'CreateContainerError' } } },
      'PodFailed',
    ],
    ['a pod that ended without a word', { phase: 'Succeeded' }, 'PodFailed'],
  ])('%s', (_name, facts, reason) => {
    expect(podFailure(pod(facts))?.reason).toBe(reason);
  });

  test('the exit facts are in the message', () => {
    const terminated = { exitCode: 70, message: '{"exit":"chromium","signal":"SIGKILL"}', finishedAt: time(3) };
    expect(podFailure(pod({ browser: { terminated } }))?.message).toBe(
      'container browser: exit code 70, {"exit":"chromium","signal":"SIGKILL"}',
    );
  });
});

describe('what a pod waits for', () => {
  test.each<[string, PodFacts, string]>([
    [
      'no node has room',
      { status: { conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3' }] } },
      'Unschedulable',
    ],
    ['an image is pulled again', { browser: { waiting: { reason: 'ErrImagePull' } } }, 'ImagePullFailed'],
    ['containers are being made', { browser: { waiting: { reason: 'ContainerCreating' } } }, 'PodPending'],
    ['the browser starts', { ready: false }, 'PodPending'],
  ])('%s', (_name, facts, reason) => {
    expect(pendingBecause(pod(facts)).reason).toBe(reason);
  });
});
