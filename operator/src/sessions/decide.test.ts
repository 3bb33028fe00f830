import type { BrowserSession, BrowserSessionStatus } from '@podwright/api/kinds/session';
import { FINALIZER } from '@podwright/api/names';
import { describe, expect, test } from 'vitest';
import { answer, at, condition, pod, pool, profile, session, tenant, time } from '../testing/objects.ts';
import { decide } from './decide.ts';
import type { Plan } from './draft.ts';
import type { Observation } from './observation.ts';

const observe = (over: Partial<Observation> = {}): Observation => ({
  now: at(10),
  session: session(),
  tenant: tenant(),
  pool: pool(),
  profile: undefined,
  pods: [],
  node: undefined,
  nodeGone: false,
  warmPods: 0,
  verdict: { state: 'admitted' },
  secrets: { state: 'fine' },
  memory: {},
  ...over,
});

const done = (plan: Plan): string[] => plan.effects.map((effect) => effect.do);
const conditionOf = (plan: Plan, type: string) => plan.status.conditions?.find((one) => one.type === type);
const brief = (plan: Plan): Record<string, unknown> => ({
  phase: plan.status.phase,
  reason: plan.status.reason,
  effects: done(plan),
});

const admitted: BrowserSessionStatus = {
  phase: 'Starting',
  tenant: 't',
  poolName: 'default',
  conditions: [condition('Admitted', 'True', 'Admitted', 5)],
};
const assigned: BrowserSessionStatus = {
  ...admitted,
  podName: 'bs-uid-s',
  podUID: 'uid-bs-uid-s',
  startedAt: time(6),
  expiresAt: time(3606),
};
const live: BrowserSessionStatus = {
  ...assigned,
  phase: 'Ready',
  reason: 'Ready',
  readyAt: time(8),
  conditions: [
    ...admitted.conditions!,
    condition('PodAssigned', 'True', 'CreatedCold', 6),
    condition('BrowserReady', 'True', 'BrowserAnswered', 8),
    condition('Ready', 'True', 'Ready', 8),
  ],
};
const kept = { metadata: { finalizers: [FINALIZER] } };
const liveSession = (spec: BrowserSession['spec'] = {}, status: Partial<BrowserSessionStatus> = {}): BrowserSession =>
  session({ ...kept, spec, status: { ...live, ...status } });

describe('before a pod', () => {
  test.each<[string, Partial<Observation>, Record<string, unknown>]>([
    [
      'a tenant that is not there yet is waited for',
      { now: at(1), tenant: undefined, pool: undefined },
      { phase: 'Queued', reason: 'UnknownTenant', effects: [] },
    ],
    [
      'a tenant that does not come fails the session',
      { tenant: undefined, pool: undefined },
      { phase: 'Failed', reason: 'UnknownTenant', effects: [] },
    ],
    [
      'a pool that is not there yet is waited for',
      { now: at(1), pool: undefined },
      { phase: 'Queued', reason: 'UnknownPool', effects: [] },
    ],
    [
      'a pool that does not come fails the session',
      { pool: undefined },
      { phase: 'Failed', reason: 'UnknownPool', effects: [] },
    ],
    [
      'a viewport beyond the screen of the pool fails at once',
      { now: at(1), session: session({ spec: { viewport: { width: 1921, height: 1080 } } }) },
      { phase: 'Failed', reason: 'ViewportTooLarge', effects: [] },
    ],
    [
      'egress wider than the pool fails at once',
      {
        now: at(1),
        pool: pool({ network: { egress: 'None' } }),
        session: session({ spec: { network: { egress: 'Public' } } }),
      },
      { phase: 'Failed', reason: 'InvalidSpec', effects: [] },
    ],
    [
      'an unknown profile fails',
      { session: session({ spec: { profileRef: { name: 'login' } } }) },
      { phase: 'Failed', reason: 'UnknownProfile', effects: [] },
    ],
    [
      'a Secret that is not offered fails',
      { secrets: { state: 'problem', message: 'no' } },
      { phase: 'Failed', reason: 'SecretNotOffered', effects: [] },
    ],
    [
      'a waiting session says why',
      { verdict: { state: 'waiting', reason: 'TenantFull', position: 3, message: 'full' } },
      { phase: 'Queued', reason: 'TenantFull', effects: [] },
    ],
    [
      'a refused session fails',
      { verdict: { state: 'refused', reason: 'Refused', message: 'full' } },
      { phase: 'Failed', reason: 'Refused', effects: [] },
    ],
    [
      'maxQueueWait ends the wait',
      {
        session: session({ spec: { lifetime: { maxQueueWait: '9s' } } }),
        verdict: { state: 'waiting', reason: 'TenantFull', position: 1, message: '' },
      },
      { phase: 'Failed', reason: 'QueueTimeout', effects: [] },
    ],
    [
      'with a warm pod it claims',
      { warmPods: 1 },
      { phase: 'Starting', reason: 'PodPending', effects: ['addFinalizer', 'claimWarm'] },
    ],
    ['without one it creates', {}, { phase: 'Starting', reason: 'PodPending', effects: ['addFinalizer', 'createPod'] }],
    [
      'a profile to be written is claimed before anything else',
      { session: session({ spec: { profileRef: { name: 'login' } } }), profile: profile() },
      { phase: undefined, reason: undefined, effects: ['addFinalizer', 'claimProfile'] },
    ],
    [
      'a profile somebody else holds is waited for',
      {
        session: session({ ...kept, spec: { profileRef: { name: 'login' } } }),
        profile: profile({ holder: { sessionName: 'x', sessionUID: 'uid-x', since: time(0) } }),
      },
      { phase: 'Starting', reason: 'ProfileInUse', effects: [] },
    ],
    [
      'a profile to be read only needs no claim',
      { session: session({ ...kept, spec: { profileRef: { name: 'login', mode: 'ReadOnly' } } }), profile: profile() },
      { phase: 'Starting', reason: 'PodPending', effects: ['createPod'] },
    ],
    [
      'a used-up quota waits',
      {
        session: session({ ...kept, status: admitted }),
        memory: { createRefused: { reason: 'QuotaExceeded', message: 'q', at: at(9) } },
      },
      { phase: 'Starting', reason: 'QuotaExceeded', effects: [] },
    ],
    [
      'and is tried again',
      {
        session: session({ ...kept, status: admitted }),
        now: at(1000),
        memory: { createRefused: { reason: 'QuotaExceeded', message: 'q', at: at(990) } },
      },
      { phase: 'Starting', reason: 'QuotaExceeded', effects: ['createPod'] },
    ],
    [
      'a stop while waiting ends it at once',
      { session: session({ spec: { stop: { reason: 'Asked' } } }), verdict: undefined },
      { phase: 'Stopped', reason: 'Asked', effects: [] },
    ],
    [
      'a deleted one that waits ends at once',
      { session: session({ metadata: { deletionTimestamp: time(9) } }), verdict: undefined },
      { phase: 'Stopped', reason: 'Deleted', effects: [] },
    ],
  ])('%s', (_name, over, expected) => {
    expect(brief(decide(observe(over)))).toEqual(expected);
  });

  test('its place in the queue is in status', () => {
    const verdict = { state: 'waiting', reason: 'TenantFull', position: 3, message: 'full' } as const;
    expect(decide(observe({ verdict })).status.queuePosition).toBe(3);
  });
});

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

describe('a live session', () => {
  test.each<[string, Partial<Observation>, Record<string, unknown>]>([
    [
      'is Running while its run is',
      { session: liveSession({}, { run: { id: 'r', state: 'running' } }) },
      { phase: 'Running', reason: 'Ready', effects: [] },
    ],
    [
      'is Ready while its run waits for its turn',
      { session: liveSession({}, { run: { id: 'r', state: 'queued' } }) },
      { phase: 'Ready', reason: 'Ready', effects: [] },
    ],
    [
      'is Idle when its run has ended',
      { session: liveSession({}, { run: { id: 'r', state: 'succeeded' } }) },
      { phase: 'Idle', reason: 'Ready', effects: [] },
    ],
    [
      'whose probe fails later is not Ready',
      {
        pods: [
          pod({
            ready: false,
            status: { conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: time(9) }] },
          }),
        ],
      },
      { phase: 'Ready', reason: 'NotReady', effects: [] },
    ],
    [
      'whose probe has not passed yet stays Ready',
      { pods: [pod({ ready: false })] },
      { phase: 'Ready', reason: 'Ready', effects: [] },
    ],
    [
      'is collected before its pod goes',
      { session: liveSession({ stop: { reason: 'Idle' } }) },
      { phase: 'Stopping', reason: 'Idle', effects: ['collect'] },
    ],
    [
      'waits for the collection',
      {
        session: liveSession({}, { phase: 'Stopping', reason: 'Idle', stoppingAt: time(9) }),
        memory: { collect: { state: 'running' } },
      },
      { phase: 'Stopping', reason: 'Idle', effects: [] },
    ],
    [
      'then loses its pod',
      {
        session: liveSession({}, { phase: 'Stopping', reason: 'Idle', stoppingAt: time(9) }),
        memory: { collect: { state: 'done', words: '' } },
      },
      { phase: 'Stopping', reason: 'Idle', effects: ['deletePod'] },
    ],
    [
      'waits for a collection only so long',
      {
        now: at(70),
        session: liveSession({}, { phase: 'Stopping', reason: 'Idle', stoppingAt: time(9) }),
        memory: { collect: { state: 'running' } },
      },
      { phase: 'Stopping', reason: 'Idle', effects: ['deletePod'] },
    ],
    [
      'waits for a pod that is going',
      {
        session: liveSession({}, { phase: 'Stopping', reason: 'Idle', stoppingAt: time(9) }),
        pods: [pod({ deleting: true, supervisor: { terminated: { exitCode: 0 } } })],
      },
      { phase: 'Stopping', reason: 'Idle', effects: [] },
    ],
    [
      'has ended when its pod is gone',
      { session: liveSession({}, { phase: 'Stopping', reason: 'Idle', stoppingAt: time(9) }), pods: [] },
      { phase: 'Stopped', reason: 'Idle', effects: ['removeFinalizer'] },
    ],
    ['times out at its maximum', { now: at(3606) }, { phase: 'Stopping', reason: 'Expired', effects: ['collect'] }],
    ['fails when its pod vanishes', { pods: [] }, { phase: 'Failed', reason: 'PodLost', effects: ['removeFinalizer'] }],
    [
      'fails when its node vanishes',
      { pods: [], nodeGone: true },
      { phase: 'Failed', reason: 'NodeLost', effects: ['removeFinalizer'] },
    ],
    [
      'fails when its browser crashes, and what it kept is fetched',
      { pods: [pod({ browser: { terminated: { exitCode: 70 } } })] },
      { phase: 'Stopping', reason: 'BrowserCrashed', effects: ['collect'] },
    ],
    [
      'force-deletes what a lost node cannot confirm',
      {
        session: liveSession({}, { phase: 'Stopping', reason: 'NodeLost', stoppingAt: time(9) }),
        pods: [pod({ deleting: true, supervisor: { terminated: { exitCode: 0 } } })],
        nodeGone: true,
      },
      { phase: 'Stopping', reason: 'NodeLost', effects: ['deletePod'] },
    ],
    [
      'ends with its tenant',
      { tenant: undefined },
      { phase: 'Stopping', reason: 'TenantRemoved', effects: ['collect'] },
    ],
    [
      'releases its profile at the end',
      {
        session: liveSession(
          { profileRef: { name: 'login' } },
          { phase: 'Stopping', reason: 'Asked', stoppingAt: time(9) },
        ),
        pods: [],
        profile: profile({ holder: { sessionName: 's', sessionUID: 'uid-s', since: time(5) } }),
      },
      { phase: 'Stopped', reason: 'Asked', effects: ['releaseProfile', 'removeFinalizer'] },
    ],
  ])('%s', (_name, over, expected) => {
    expect(brief(decide(observe({ session: liveSession(), pods: [pod()], ...over })))).toEqual(expected);
  });

  test('shuts the doors in status before anything is fetched or deleted', () => {
    const plan = decide(observe({ session: liveSession({ stop: { reason: 'Asked' } }), pods: [pod()] }));
    expect(plan.statusFirst).toBe(true);
    expect(plan.status.stoppingAt).toBe(time(10));
  });

  test('keeps its first reason: a maximum reached while stopping changes nothing', () => {
    const stopping = liveSession({}, { phase: 'Stopping', reason: 'Idle', stoppingAt: time(9), message: 'idle' });
    expect(
      decide(
        observe({
          now: at(5000),
          session: stopping,
          pods: [pod({ deleting: true, supervisor: { terminated: { exitCode: 0 } } })],
        }),
      ).status.reason,
    ).toBe('Idle');
  });

  test('a deleted object is let go after five minutes although its pod was not proved gone', () => {
    const stuck = liveSession({}, { phase: 'Stopping', reason: 'Deleted', stoppingAt: time(9) });
    stuck.metadata.deletionTimestamp = time(9);
    const plan = decide(
      observe({
        now: at(310),
        session: stuck,
        pods: [pod({ deleting: true, supervisor: { terminated: { exitCode: 0 } } })],
      }),
    );
    expect(brief(plan)).toEqual({ phase: 'Stopped', reason: 'Deleted', effects: ['removeFinalizer'] });
    expect(plan.status.message).toMatch(/may still exist: bs-uid-s on node node-1/);
  });

  test('a node that is silent is told at once and given up after a minute', () => {
    const node = {
      metadata: { name: 'node-1', uid: 'n', resourceVersion: '1', creationTimestamp: time(0) },
      status: { conditions: [{ type: 'Ready', status: 'Unknown' as const, lastTransitionTime: time(20) }] },
    };
    const soon = decide(observe({ now: at(30), session: liveSession(), pods: [pod()], node }));
    expect(soon.status).toMatchObject({ phase: 'Ready', reason: 'NodeLost' });
    expect(soon.at).toBe(at(80));
    expect(decide(observe({ now: at(80), session: liveSession(), pods: [pod()], node })).status).toMatchObject({
      phase: 'Stopping',
      reason: 'NodeLost',
    });
  });
});

describe('a drain', () => {
  const draining = pod({
    deleting: true,
    grace: 60,
    status: {
      conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message: 'm' }],
    },
  });
  test('is the reason, and what the pod kept is fetched within its grace', () => {
    const plan = decide(observe({ session: liveSession(), pods: [draining] }));
    expect(brief(plan)).toEqual({ phase: 'Stopping', reason: 'NodeDraining', effects: ['collect'] });
  });

  test('then the rest of the grace is not waited for', () => {
    const stopping = liveSession({}, { phase: 'Stopping', reason: 'NodeDraining', stoppingAt: time(9) });
    const plan = decide(
      observe({ session: stopping, pods: [draining], memory: { collect: { state: 'done', words: '' } } }),
    );
    expect(done(plan)).toEqual(['deletePod']);
  });
});

describe('after the end', () => {
  const ended: Partial<BrowserSessionStatus> = {
    phase: 'Stopped',
    reason: 'Asked',
    stoppingAt: time(9),
    endedAt: time(10),
  };
  test.each<[string, Partial<Observation>, string[], number | undefined]>([
    ['nothing happens without a ttl', { session: session({ status: { ...live, ...ended } }) }, [], undefined],
    [
      'the ttl is waited for',
      { session: session({ spec: { lifetime: { ttlAfterFinished: '3s' } }, status: { ...live, ...ended } }) },
      [],
      at(13),
    ],
    [
      'and then removes the object',
      {
        now: at(13),
        session: session({ spec: { lifetime: { ttlAfterFinished: '3s' } }, status: { ...live, ...ended } }),
      },
      ['deleteSession'],
      undefined,
    ],
    [
      'a pod that turns up late is deleted',
      { session: session({ status: { ...live, ...ended } }), pods: [pod()] },
      ['deletePod'],
      undefined,
    ],
    [
      'the finalizer goes',
      { session: session({ ...kept, status: { ...live, ...ended } }) },
      ['removeFinalizer'],
      undefined,
    ],
  ])('%s', (_name, over, effects, again) => {
    const plan = decide(observe(over));
    expect(done(plan)).toEqual(effects);
    expect(plan.at).toBe(again);
  });
});
