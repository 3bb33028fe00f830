import { describe, expect, test } from 'vitest';
import { at, pod, profile, time } from '../testing/objects.ts';
import { brief, liveSession, observe } from '../testing/observation.ts';
import { decide } from './decide.ts';
import type { Observation } from './observation.ts';

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
        memory: { collect: { state: 'done', words: '', profileSaved: false } },
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
    expect(brief(plan)).toEqual({ phase: 'Stopped', reason: 'Deleted', effects: ['tombstone', 'removeFinalizer'] });
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
