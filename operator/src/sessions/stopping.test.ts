import type { BrowserSessionStatus } from '@podwright/api/kinds/session';
import { describe, expect, test } from 'vitest';
import { at, pod, session, time } from '../testing/objects.ts';
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
