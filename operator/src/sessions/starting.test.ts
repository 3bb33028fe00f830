import type { ProfileLoadResponse } from '@podwright/api/internal-doors';
import { describe, expect, test } from 'vitest';
import { answer, at, pod, pool, profile, session, time } from '../testing/objects.ts';
import { admitted, assigned, brief, conditionOf, kept, observe } from '../testing/observation.ts';
import { decide } from './decide.ts';
import type { Observation } from './observation.ts';

describe('from pod to Ready', () => {
  const starting = session({ ...kept, status: assigned });
  const bound = { podUid: 'uid-bs-uid-s', answer: answer(), at: at(10) };
  test.each<[string, Partial<Observation>, Record<string, unknown>]>([
    [
      'a pod without a door is waited for',
      { pods: [pod({ ready: false, supervisor: { waiting: { reason: 'ContainerCreating' } } })] },
      { phase: 'Starting', reason: 'PodPending', effects: [] },
    ],
    [
      'a pod with a door is asked',
      { pods: [pod({ ready: false })] },
      { phase: 'Starting', reason: 'PodPending', effects: ['awaitDoor'] },
    ],
    ['a ready pod is bound', { pods: [pod()] }, { phase: 'Starting', reason: 'Binding', effects: ['bind'] }],
    [
      'so is one whose door answered before the kubelet noticed',
      { pods: [pod({ ready: false })], memory: { doorReady: 'uid-bs-uid-s' } },
      { phase: 'Starting', reason: 'Binding', effects: ['bind'] },
    ],
    [
      'a bound pod is Ready in the same pass',
      { pods: [pod()], memory: { bound } },
      { phase: 'Ready', reason: 'Ready', effects: [] },
    ],
    [
      'a bound pod whose canary has not run is asked again',
      {
        now: at(11),
        pods: [pod()],
        memory: { bound: { ...bound, answer: answer({ isolation: { checked: false, reached: [] } }) } },
      },
      { phase: 'Starting', reason: 'Bound', effects: ['bind'] },
    ],
    [
      'a reached address ends it',
      {
        pods: [pod()],
        memory: { bound: { ...bound, answer: answer({ isolation: { checked: true, reached: ['10.0.0.1:443'] } }) } },
      },
      { phase: 'Stopping', reason: 'NotIsolated', effects: ['deletePod'] },
    ],
    [
      'a sandbox that is off ends it',
      {
        pods: [pod()],
        memory: { bound: { ...bound, answer: answer({ sandbox: { ...answer().sandbox!, found: 'None' } }) } },
      },
      { phase: 'Stopping', reason: 'SandboxOff', effects: ['deletePod'] },
    ],
    [
      'a refused bind ends it',
      { pods: [pod()], memory: { bindFailure: { reason: 'BindRefused', message: '409' } } },
      { phase: 'Stopping', reason: 'BindRefused', effects: ['deletePod'] },
    ],
    [
      'a profile is loaded before Ready',
      {
        session: session({ ...kept, status: assigned, spec: { profileRef: { name: 'login', mode: 'ReadOnly' } } }),
        profile: profile(),
        pods: [pod()],
        memory: { bound },
      },
      { phase: 'Starting', reason: 'Bound', effects: ['loadProfile'] },
    ],
    [
      'startTimeout ends a pod that does not come up',
      { now: at(130), pods: [pod({ ready: false })] },
      { phase: 'Stopping', reason: 'StartTimeout', effects: ['deletePod'] },
    ],
    [
      'and says when no node had room',
      {
        now: at(130),
        pods: [
          pod({
            ready: false,
            phase: 'Pending',
            status: { conditions: [{ type: 'PodScheduled', status: 'False', message: '0/1 nodes' }] },
          }),
        ],
      },
      { phase: 'Stopping', reason: 'Unschedulable', effects: ['deletePod'] },
    ],
    [
      'deleted while starting, the pod goes',
      {
        session: session({ metadata: { ...kept.metadata, deletionTimestamp: time(9) }, status: assigned }),
        pods: [pod({ ready: false })],
      },
      { phase: 'Stopping', reason: 'Deleted', effects: ['deletePod'] },
    ],
    [
      'a second pod is deleted',
      { pods: [pod(), pod({ name: 'default-warm-1' })], memory: { bound } },
      { phase: 'Ready', reason: 'Ready', effects: ['deletePod'] },
    ],
  ])('%s', (_name, over, expected) => {
    expect(brief(decide(observe({ session: starting, ...over })))).toEqual(expected);
  });

  test('Ready carries every proof, the address and the deadline', () => {
    const plan = decide(observe({ session: starting, pods: [pod()], memory: { bound } }));
    expect(plan.status).toMatchObject({ podIP: '10.0.0.9', nodeName: 'node-1', start: 'cold', readyAt: time(10) });
    for (const type of ['Admitted', 'PodAssigned', 'BrowserReady', 'Sandboxed', 'Isolated', 'Ready']) {
      expect(conditionOf(plan, type), type).toMatchObject({ status: 'True' });
    }
    expect(plan.at).toBe(at(3606));
  });

  test('mode None is served, and Sandboxed says that it is off', () => {
    const off = answer({ sandbox: { ...answer().sandbox!, found: 'None' } });
    const plan = decide(
      observe({
        session: starting,
        pool: pool({ sandbox: { mode: 'None' } }),
        pods: [pod()],
        memory: { bound: { ...bound, answer: off } },
      }),
    );
    expect(plan.status.phase).toBe('Ready');
    expect(conditionOf(plan, 'Sandboxed')).toMatchObject({ status: 'False', reason: 'SandboxOff' });
  });
});

describe('a failure in the pass that found the pod', () => {
  const bound = {
    podUid: 'uid-bs-uid-s',
    answer: answer({ isolation: { checked: true, reached: ['10.0.0.1:443'] } }),
    at: at(10),
  };
  test('still tells which pod it was and what was found', () => {
    const plan = decide(observe({ session: session({ ...kept, status: admitted }), pods: [pod()], memory: { bound } }));
    expect(plan.status).toMatchObject({ phase: 'Stopping', reason: 'NotIsolated', podName: 'bs-uid-s' });
    expect(conditionOf(plan, 'Admitted')).toMatchObject({ status: 'True' });
    expect(conditionOf(plan, 'Isolated')).toMatchObject({ status: 'False', reason: 'NotIsolated' });
  });

  test('what a canary reaches while the pod still tries is no failure', () => {
    const trying = { ...bound, answer: answer({ isolation: { checked: false, reached: ['10.0.0.1:443'] } }) };
    const plan = decide(
      observe({ session: session({ ...kept, status: assigned }), pods: [pod()], memory: { bound: trying } }),
    );
    expect(plan.status.phase).toBe('Starting');
  });
});

describe('a profile', () => {
  const bound = { podUid: 'uid-bs-uid-s', answer: answer(), at: at(10) };
  const starting = session({ ...kept, status: assigned, spec: { profileRef: { name: 'login', mode: 'ReadOnly' } } });
  const full: ProfileLoadResponse = {
    outcome: 'Loaded',
    version: 4,
    capturedAt: time(1),
    expiresAt: time(5),
    missing: [],
  };
  const loaded = (over: Partial<ProfileLoadResponse>) => ({
    bound,
    profileLoaded: {
      podUid: pod().metadata.uid,
      answer: { ...full, ...over },
    },
  });
  const told = (over: Partial<ProfileLoadResponse>) => {
    const plan = decide(observe({ session: starting, profile: profile(), pods: [pod()], memory: loaded(over) }));
    return { phase: plan.status.phase, ...conditionOf(plan, 'ProfileLoaded') };
  };

  test('that was loaded says which version it is', () => {
    const message = `profile login is loaded: version 4 of ${time(1)}`;
    expect(told({})).toMatchObject({ phase: 'Ready', status: 'True', message });
  });

  test('that lacks something says what', () => {
    const message = expect.stringContaining('; not loaded: storage of 2 origins') as string;
    expect(told({ missing: ['storage of 2 origins'] })).toMatchObject({ phase: 'Ready', status: 'True', message });
  });

  test('that holds nothing yet is no trouble', () => {
    const answer = { outcome: 'Empty', version: null, capturedAt: null, expiresAt: null } as const;
    expect(told(answer)).toMatchObject({ phase: 'Ready', status: 'True', message: 'profile login holds nothing yet' });
  });

  test('that has expired is not loaded and said so, and the session goes on', () => {
    expect(told({ outcome: 'Expired' })).toMatchObject({
      phase: 'Ready',
      status: 'False',
      reason: 'ProfileExpired',
      message: `profile login of ${time(1)} expired at ${time(5)} and was not loaded`,
    });
  });
});
