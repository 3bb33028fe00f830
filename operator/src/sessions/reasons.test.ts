import { STOP_REASONS } from '@podwright/api/kinds/session';
import { describe, expect, test } from 'vitest';
import { answer, at, pod, profile, session, time } from '../testing/objects.ts';
import { assigned, brief, conditionOf, kept, liveSession, observe } from '../testing/observation.ts';
import { decide } from './decide.ts';
import { terminalPhase } from './ending.ts';

const bound = { podUid: 'uid-bs-uid-s', answer: answer(), at: at(10) };

describe('a session that gets ready says what was found', () => {
  const login = { name: 'login', mode: 'ReadOnly' as const };
  const run = (memory: object) =>
    decide(
      observe({
        session: session({ ...kept, spec: { profileRef: login }, status: assigned }),
        profile: profile(),
        pods: [pod()],
        memory: { bound, ...memory },
      }),
    );

  test.each([
    ['PodAssigned', 'CreatedCold'],
    ['BrowserReady', 'BrowserAnswered'],
    ['Sandboxed', 'SandboxVerified'],
    ['Isolated', 'IsolationVerified'],
    ['ProfileLoaded', 'ProfileLoaded'],
    ['Ready', 'Ready'],
  ] as const)('%s: %s', (type, reason) => {
    const loaded = { outcome: 'Loaded', version: 1, capturedAt: time(1), expiresAt: time(2), missing: [] };
    const plan = run({ profileLoaded: { podUid: 'uid-bs-uid-s', answer: loaded } });
    expect(conditionOf(plan, type)).toMatchObject({ status: 'True', reason });
  });

  test('a profile that cannot be loaded ends it', () => {
    const plan = run({ profileFailure: { reason: 'ProfileLoadFailed', message: 'profile login: no answer' } });
    expect(brief(plan)).toMatchObject({ phase: 'Stopping', reason: 'ProfileLoadFailed' });
    expect(terminalPhase('ProfileLoadFailed')).toBe('Failed');
  });
});

describe('how a session ends is told apart', () => {
  test.each([...STOP_REASONS])('a stop for %s keeps its reason', (reason) => {
    const plan = decide(observe({ session: liveSession({ stop: { reason, by: 'x' } }), pods: [pod()] }));
    expect(brief(plan)).toMatchObject({ phase: 'Stopping', reason });
    expect(plan.status.message).toMatch(/\(by x\)$/);
  });

  test.each([
    ['Asked', 'Stopped'],
    ['Idle', 'Stopped'],
    ['Replaced', 'Stopped'],
    ['Budget', 'Stopped'],
    ['TenantRemoved', 'Stopped'],
    ['TaskFinished', 'Stopped'],
    ['NodeDraining', 'Stopped'],
    ['Deleted', 'Stopped'],
    ['Expired', 'TimedOut'],
    ['Refused', 'Failed'],
    ['OOMKilled', 'Failed'],
  ])('%s ends as %s', (reason, phase) => {
    const stopping = liveSession({}, { phase: 'Stopping', reason, stoppingAt: time(9) });
    expect(brief(decide(observe({ session: stopping, pods: [] })))).toMatchObject({ phase, reason });
  });
});

describe('what a newer version wrote is tolerated', () => {
  test('a stop for a reason this version does not know stops all the same, and keeps the word', () => {
    const unknown = liveSession({ stop: { reason: 'Moved' as 'Asked' } });
    const plan = decide(observe({ session: unknown, pods: [pod()] }));
    expect(brief(plan)).toEqual({ phase: 'Stopping', reason: 'Moved', effects: ['collect'] });
    expect(plan.status.message).not.toContain('undefined');
    expect(terminalPhase('Moved')).toBe('Stopped');
  });

  test('a phase this version does not know is replaced by what is true', () => {
    const status = { phase: 'Hibernating' as 'Ready' };
    expect(decide(observe({ session: liveSession({}, status), pods: [pod()] })).status.phase).toBe('Ready');
  });

  test('a sandbox mode or egress class that nobody can check is never taken for granted', () => {
    const unknownMode = observe({ session: session({ ...kept, status: assigned }), pods: [pod()], memory: { bound } });
    unknownMode.pool!.spec.sandbox = { mode: 'Vault' as 'Auto' };
    expect(brief(decide(unknownMode))).toMatchObject({ reason: 'SandboxOff' });
  });
});

describe('in a namespace that is being deleted', () => {
  const going = { namespaceTerminating: true };
  test.each([
    ['one that waits ends at once', session(), [], { phase: 'Stopped', reason: 'Deleted', effects: [] }],
    [
      'one that was about to get a pod makes none',
      session({ ...kept, status: assigned }),
      [],
      { phase: 'Stopped', reason: 'Deleted', effects: ['removeFinalizer'] },
    ],
    [
      'a live one is saved and stopped',
      liveSession(),
      [pod()],
      { phase: 'Stopping', reason: 'Deleted', effects: ['collect'] },
    ],
  ])('%s', (_name, one, pods, expected) => {
    expect(brief(decide(observe({ ...going, session: one, pods })))).toEqual(expected);
  });
});
