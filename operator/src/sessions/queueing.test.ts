import { describe, expect, test } from 'vitest';
import { at, pool, profile, session, tenant, time } from '../testing/objects.ts';
import { admitted, brief, conditionOf, kept, observe } from '../testing/observation.ts';
import { decide } from './decide.ts';
import type { Observation } from './observation.ts';

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
      'a pool that asks for what the platform does not allow fails the session at once',
      { now: at(1), poolOffence: 'image evil is not on the list' },
      { phase: 'Failed', reason: 'PoolNotAllowed', effects: [] },
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
      'a profile that is being deleted fails at once',
      {
        now: at(1),
        session: session({ spec: { profileRef: { name: 'login' } } }),
        profile: { ...profile(), metadata: { ...profile().metadata, deletionTimestamp: time(1) } },
      },
      { phase: 'Failed', reason: 'UnknownProfile', effects: [] },
    ],
    [
      'a profile to be written is claimed before anything else',
      { session: session({ spec: { profileRef: { name: 'login' } } }), profile: profile() },
      { phase: undefined, reason: undefined, effects: ['addFinalizer', 'claimProfile'] },
    ],
    [
      'a profile that a living session holds ends it',
      {
        session: session({ ...kept, spec: { profileRef: { name: 'login' } } }),
        profile: profile({ holder: { sessionName: 'x', sessionUID: 'uid-x', since: time(0) } }),
        profileHolder: 'alive',
      },
      { phase: 'Failed', reason: 'ProfileInUse', effects: ['removeFinalizer'] },
    ],
    [
      'unless its tenant wants it to wait: then it waits without a place',
      {
        session: session({ ...kept, spec: { profileRef: { name: 'login' } } }),
        tenant: tenant({ whenProfileBusy: 'Wait' }),
        profile: profile({ holder: { sessionName: 'x', sessionUID: 'uid-x', since: time(0) } }),
        profileHolder: 'alive',
      },
      { phase: 'Queued', reason: 'ProfileInUse', effects: [] },
    ],
    [
      'a profile whose holder is stopping is waited for',
      {
        session: session({ ...kept, spec: { profileRef: { name: 'login' } } }),
        profile: profile({ holder: { sessionName: 'x', sessionUID: 'uid-x', since: time(0) } }),
        profileHolder: 'ending',
      },
      { phase: 'Queued', reason: 'ProfileInUse', effects: [] },
    ],
    [
      'one that had its place already waits in it, longer than a start may take',
      {
        now: at(1000),
        session: session({ ...kept, status: admitted, spec: { profileRef: { name: 'login' } } }),
        profile: profile({ holder: { sessionName: 'x', sessionUID: 'uid-x', since: time(0) } }),
        profileHolder: 'ending',
      },
      { phase: 'Starting', reason: 'ProfileInUse', effects: [] },
    ],
    [
      'a profile to be read only needs no claim',
      { session: session({ ...kept, spec: { profileRef: { name: 'login', mode: 'ReadOnly' } } }), profile: profile() },
      { phase: 'Starting', reason: 'PodPending', effects: ['createPod'] },
    ],
    [
      'a used-up quota waits until its gate opens',
      {
        session: session({ ...kept, status: admitted }),
        createsPaused: { until: at(12), failure: { reason: 'QuotaExceeded', message: 'q' } },
      },
      { phase: 'Starting', reason: 'QuotaExceeded', effects: [] },
    ],
    [
      'and is tried again, however long it took',
      {
        session: session({ ...kept, status: { ...admitted, reason: 'QuotaExceeded' } }),
        now: at(1000),
        memory: { createRefused: { reason: 'QuotaExceeded', message: 'q', at: at(999) } },
      },
      { phase: 'Starting', reason: 'QuotaExceeded', effects: ['createPod'] },
    ],
    [
      'a new leader does not take a long wait for a quota for a slow start',
      { session: session({ ...kept, status: { ...admitted, reason: 'QuotaExceeded' } }), now: at(1000) },
      { phase: 'Starting', reason: 'PodPending', effects: ['createPod'] },
    ],
    [
      'a warm pod needs no quota',
      {
        session: session({ ...kept, status: admitted }),
        warmPods: 1,
        createsPaused: { until: at(12), failure: { reason: 'QuotaExceeded', message: 'q' } },
      },
      { phase: 'Starting', reason: 'PodPending', effects: ['claimWarm'] },
    ],
    [
      'a pod that is refused for another reason is tried again after a while',
      {
        session: session({ ...kept, status: admitted }),
        memory: { createRefused: { reason: 'InvalidSpec', message: 'q', at: at(9) } },
      },
      { phase: 'Starting', reason: 'InvalidSpec', effects: [] },
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

  test('a duration beyond a ceiling is cut, and says by whom', () => {
    const words = (asked: string, ceiling?: string, limit?: string): string | undefined =>
      conditionOf(
        decide(
          observe({
            session: session({ spec: { lifetime: { maxDuration: asked } } }),
            pool: pool(ceiling === undefined ? {} : { lifetime: { maxDurationCeiling: ceiling } }),
            tenant: tenant(limit === undefined ? {} : { limits: { maxDuration: limit } }),
          }),
        ),
        'Admitted',
      )?.message;
    expect(words('2h')).toBe('the tenant has room');
    expect(words('9h')).toMatch(/9h is cut to 4h, lifetime.maxDurationCeiling of the pool/);
    expect(words('9h', '8h', '90m')).toMatch(/9h is cut to 1h30m, limits.maxDuration of the tenant/);
  });

  test('its place in the queue is in status', () => {
    const verdict = { state: 'waiting', reason: 'TenantFull', position: 3, message: 'full' } as const;
    expect(decide(observe({ verdict })).status.queuePosition).toBe(3);
  });
});
