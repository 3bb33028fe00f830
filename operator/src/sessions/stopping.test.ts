import type { BrowserProfile } from '@podwright/api/kinds/profile';
import type { BrowserSessionStatus } from '@podwright/api/kinds/session';
import { describe, expect, test } from 'vitest';
import { at, pod, profile, session, time } from '../testing/objects.ts';
import { brief, done, kept, live, liveSession, observe } from '../testing/observation.ts';
import { decide } from './decide.ts';
import type { Observation } from './observation.ts';

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
      observe({
        session: stopping,
        pods: [draining],
        memory: { collect: { state: 'done', words: '', profileSaved: false } },
      }),
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

describe('the message of a session that could not write its profile back', () => {
  const messageWith = (over: Partial<Observation>, stored: BrowserProfile['status'] = {}) => {
    const ending = liveSession(
      { profileRef: { name: 'login' } },
      { phase: 'Stopping', reason: 'PodLost', message: 'pod bs is gone', stoppingAt: time(9) },
    );
    return decide(observe({ session: ending, pods: [], profile: profile(stored), ...over })).status.message;
  };

  test('names the version that was saved while it ran', () => {
    expect(messageWith({}, { version: 3, lastSavedAt: time(8) })).toBe(
      `pod bs is gone; profile login keeps version 3, saved at ${time(8)}; later changes are lost`,
    );
  });

  test('names the version from before when none was saved', () => {
    expect(messageWith({}, { version: 2, lastSavedAt: time(1) })).toBe(
      'pod bs is gone; profile login keeps version 2 from before this session; its changes are lost',
    );
  });

  test('says that there is none when there never was', () => {
    expect(messageWith({})).toBe('pod bs is gone; profile login stays empty; its changes are lost');
  });

  test('says nothing of it when it was saved after the doors were shut, whoever saw that', () => {
    expect(messageWith({}, { version: 3, lastSavedAt: time(9) })).toBe('pod bs is gone');
    expect(messageWith({ memory: { collect: { state: 'done', words: '', profileSaved: true } } })).toBe(
      'pod bs is gone',
    );
  });

  test('says nothing of a profile that was only read', () => {
    const reading = liveSession(
      { profileRef: { name: 'login', mode: 'ReadOnly' } },
      { phase: 'Stopping', reason: 'PodLost', message: 'pod bs is gone', stoppingAt: time(9) },
    );
    expect(messageWith({ session: reading })).toBe('pod bs is gone');
  });

  test('has the words of the keeper before it', () => {
    const collect = { state: 'done', words: 'not saved: profile login: too large', profileSaved: false } as const;
    expect(messageWith({ memory: { collect } }, { version: 2 })).toBe(
      'pod bs is gone; not saved: profile login: too large; profile login keeps version 2 from before this session; its changes are lost',
    );
  });
});
