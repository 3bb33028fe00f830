import { describe, expect, test } from 'vitest';
import { type PodTokenClaims, type Scope, createVerifier } from '@podwright/api/tokens';
import { createCounters } from '../session/counters.ts';
import { createLatch } from '../session/latch.ts';
import { INSTALLATION, ISSUER_OF, createTestTokens } from '../testing/tokens.ts';
import { DoorRefusal, createGate } from './authorize.ts';

const POD = 'pod-1';
const SESSION = '6b1fb0d4-6f0b-4f86-a4de-2f1f3a1f6b11';
const START = 1_800_000_000_000;

async function setUp(options: { latched?: boolean } = {}) {
  const clock = { now: START };
  const now = () => clock.now;
  const tokens = await createTestTokens(now);
  const strangers = await createTestTokens(now);
  const latch = createLatch();
  if (options.latched ?? true) latch.take(SESSION);
  const counters = createCounters();
  const verifier = await createVerifier({ installation: INSTALLATION, podUid: POD, keys: tokens.publicKeys, now });
  const gate = createGate({ verifier, latch, podUid: POD, counters, now });
  const token = async (scope: Scope, more: Partial<PodTokenClaims> & { pod?: string; stranger?: boolean } = {}) => {
    const { pod = POD, stranger = false, issuer = ISSUER_OF[scope], ...claims } = more;
    return (stranger ? strangers : tokens).token(issuer, pod, { scope, subject: SESSION, ...claims });
  };
  const outcome = async (header: string | undefined, scopes: readonly Scope[]): Promise<number | string> => {
    try {
      return (await gate.pass(header, scopes)).scope;
    } catch (error) {
      return error instanceof DoorRefusal ? error.status : String(error);
    }
  };
  return { clock, counters, token, outcome };
}

describe('a latched pod', () => {
  test('takes a token of its session and the scope of the route', async () => {
    const { token, outcome } = await setUp();
    expect(await outcome(`Bearer ${await token('cdp')}`, ['cdp'])).toBe('cdp');
    expect(await outcome(`Bearer ${await token('view')}`, ['view', 'control'])).toBe('view');
  });

  test.each<[string, Parameters<Awaited<ReturnType<typeof setUp>>['token']>[1], number, string]>([
    ['of another session', { subject: crypto.randomUUID() }, 403, 'subject'],
    ['of the pod itself', { subject: POD }, 403, 'subject'],
    ['for another pod', { pod: 'pod-2' }, 401, 'audience'],
    ['signed by a stranger', { stranger: true }, 401, 'signature'],
  ])('refuses one %s', async (_, more, status, reason) => {
    const { token, outcome, counters } = await setUp();
    expect(await outcome(`Bearer ${await token('status', more)}`, ['status'])).toBe(status);
    expect(counters.all()).toEqual({ [`token_refused_${reason}`]: 1 });
  });

  test.each([
    ['nothing', undefined],
    ['another scheme', 'Basic YTpi'],
    ['a text that is no token', 'Bearer nonsense'],
    ['two tokens', 'Bearer a.b.c d.e.f'],
  ])('refuses %s', async (_, header) => {
    const { outcome } = await setUp();
    expect(await outcome(header, ['status'])).toBe(401);
  });

  test('refuses the scope of another route', async () => {
    const { token, outcome, counters } = await setUp();
    expect(await outcome(`Bearer ${await token('view')}`, ['control'])).toBe(403);
    expect(counters.all()).toEqual({ token_refused_scope: 1 });
  });

  test('refuses a token the second time, also when it is nearly over', async () => {
    const { token, outcome, clock, counters } = await setUp();
    const header = `Bearer ${await token('cdp')}`;
    expect(await outcome(header, ['cdp'])).toBe('cdp');
    expect(await outcome(header, ['cdp'])).toBe(401);
    clock.now += 80_000;
    expect(await outcome(header, ['cdp'])).toBe(401);
    expect(counters.all()).toEqual({ token_refused_replayed: 2 });
  });

  test('refuses an expired token, and forgets used ones only then', async () => {
    const { token, outcome, clock, counters } = await setUp();
    const header = `Bearer ${await token('cdp')}`;
    await outcome(header, ['cdp']);
    clock.now += 95_000;
    expect(await outcome(`Bearer ${await token('cdp')}`, ['cdp'])).toBe('cdp');
    expect(await outcome(header, ['cdp'])).toBe(401);
    expect(counters.all()).toEqual({ token_refused_expired: 1 });
  });

  test('hears a bind for any session: the latch decides', async () => {
    const { token, outcome } = await setUp();
    expect(await outcome(`Bearer ${await token('bind', { subject: crypto.randomUUID() })}`, ['bind'])).toBe('bind');
  });
});

describe('a pod that serves nobody yet', () => {
  test('tells its status to who names the pod', async () => {
    const { token, outcome } = await setUp({ latched: false });
    expect(await outcome(`Bearer ${await token('status', { subject: POD })}`, ['status'])).toBe('status');
    expect(await outcome(`Bearer ${await token('status')}`, ['status'])).toBe(403);
  });

  test.each<Scope>(['quiesce', 'activity', 'cdp', 'view', 'control', 'files', 'profile', 'collect'])(
    'opens nothing for %s',
    async (scope) => {
      const { token, outcome } = await setUp({ latched: false });
      expect(await outcome(`Bearer ${await token(scope)}`, [scope])).toBe(403);
      expect(await outcome(`Bearer ${await token(scope, { subject: POD })}`, [scope])).toBe(403);
    },
  );
});
