import type { BrowserSession } from '@podwright/api/kinds/session';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { at, pod, time } from '../testing/objects.ts';
import { liveSession, observe } from '../testing/observation.ts';
import { createClockGuard, isMass } from './clock-guard.ts';
import { decide } from './decide.ts';

const silent = { info() {}, warn() {}, error() {} };
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A guard over `count` sessions that end at second 1000; `step` sets the wall clock of the process alone. */
function setUp(count: number, startAt = 0) {
  const clock = { monotonic: 0, step: 0, server: at(startAt) };
  const heldTold: number[] = [];
  const sessions: BrowserSession[] = Array.from({ length: count }, () => liveSession({}, { expiresAt: time(1_000) }));
  const guard = createClockGuard({
    sessions: () => sessions,
    serverTime: () => Promise.resolve(clock.server + clock.monotonic),
    monotonic: () => clock.monotonic,
    now: () => at(startAt) + clock.monotonic + clock.step,
    pause: (milliseconds) => new Promise((resolve) => void setTimeout(resolve, milliseconds)),
    onHeld: (held) => heldTold.push(held),
    log: silent,
  });
  const pass = async (seconds: number): Promise<void> => {
    for (let one = 0; one < seconds; one += 1) {
      clock.monotonic += 1_000;
      await vi.advanceTimersByTimeAsync(1_000);
    }
  };
  return { clock, guard, pass, heldTold, sessions };
}

describe('the clock guard', () => {
  test.each([
    [20, 100, false],
    [21, 100, true],
    [100, 10_000, false],
    [500, 10_000, false],
    [501, 10_000, true],
  ])('%i of %i sessions at once: held %s', (late, all, expected) => {
    expect(isMass(late, all)).toBe(expected);
  });

  test('a clock an hour ahead ends nothing, and when it is set right everything goes on as if nothing had been', async () => {
    const { clock, guard, pass, heldTold } = setUp(100);
    expect(guard.isHeld(false)).toBe(false);
    clock.step = 3_600_000;
    expect(guard.isHeld(true)).toBe(true);
    await pass(300);
    expect(guard.isHeld(true)).toBe(true);
    expect(Math.max(...heldTold)).toBe(100);
    clock.step = 0;
    await pass(60);
    expect(guard.isHeld(false)).toBe(false);
    expect(heldTold.at(-1)).toBe(0);
  });

  test('a clock an hour behind holds too', async () => {
    const { clock, guard, pass } = setUp(1);
    clock.step = -3_600_000;
    expect(guard.isHeld(false)).toBe(true);
    await pass(60);
    expect(guard.isHeld(false)).toBe(true);
  });

  test('after an outage of the operator the API server agrees, and the late ones end after half a minute', async () => {
    const { guard, pass, sessions } = setUp(100, 5_000);
    expect(guard.isHeld(true)).toBe(true);
    await pass(35);
    expect(guard.isHeld(true)).toBe(false);
    sessions.length = 10;
    await pass(2);
    expect(guard.isHeld(true)).toBe(false);
  });

  test('a few that are late are nothing unusual', () => {
    const { guard } = setUp(20, 5_000);
    expect(guard.isHeld(true)).toBe(false);
  });

  test('an API server that does not answer is no agreement', async () => {
    const { clock, guard, pass } = setUp(100, 5_000);
    clock.server = Number.NaN;
    expect(guard.isHeld(true)).toBe(true);
    await pass(120);
    expect(guard.isHeld(true)).toBe(true);
  });
});

describe('while the clock is held', () => {
  const held = { clockHeld: true, now: at(90_000) };
  test('a session beyond its maximum goes on and is looked at again after a while', () => {
    const plan = decide(observe({ ...held, session: liveSession(), pods: [pod()] }));
    expect(plan.status).toMatchObject({ phase: 'Ready', reason: 'Ready' });
    expect(plan.at).toBe(at(90_010));
  });

  test('what time alone would delete stays', () => {
    const over = liveSession({ lifetime: { ttlAfterFinished: '1s' } }, { phase: 'Stopped', endedAt: time(10) });
    const plan = decide(observe({ ...held, session: over }));
    expect(plan.effects.map((effect) => effect.do)).not.toContain('deleteSession');
    expect(plan.at).toBe(at(90_010));
  });
});
