import { expect, test } from 'vitest';
import { QUIET_MS, createActivity } from './activity.ts';

function setUp() {
  const clock = { now: 1000 };
  return { clock, activity: createActivity({ now: () => clock.now }) };
}

test('a browser that was just used stays busy, and nothing changes', () => {
  const { clock, activity } = setUp();
  clock.now += 5000;
  activity.touch();
  clock.now += 999;
  expect(activity.quiesce(1000)).toEqual({ quiet: false, lastActiveAt: 6000 });
  expect(activity.refusal()).toBeUndefined();
});

test('an idle browser turns quiet and refuses work for a while', () => {
  const { clock, activity } = setUp();
  clock.now += 1000;
  expect(activity.quiesce(1000)).toEqual({ quiet: true, lastActiveAt: 1000, until: 2000 + QUIET_MS });
  expect(activity.refusal()).toContain('evicted');
  clock.now += QUIET_MS - 1;
  expect(activity.refusal()).toBeDefined();
  clock.now += 1;
  expect(activity.refusal()).toBeUndefined();
});

test('asking again while it is quiet gives the same answer', () => {
  const { clock, activity } = setUp();
  clock.now += 1000;
  const first = activity.quiesce(1000);
  clock.now += 10;
  expect(activity.quiesce(600_000)).toEqual(first);
});
