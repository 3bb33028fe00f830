import { describe, expect, test } from 'vitest';
import { createCreateGate } from './create-gate.ts';
import type { Failure } from './pod-failure.ts';

const quota: Failure = { reason: 'QuotaExceeded', message: 'exceeded quota: pods' };

function setUp() {
  const clock = { now: 1_000_000 };
  const opened: string[] = [];
  const gate = createCreateGate({ now: () => clock.now, onOpen: (namespace) => opened.push(namespace) });
  let creates = 0;
  const answer = { next: undefined as Failure | undefined };
  const create = (namespace = 'a') =>
    gate.through(namespace, () => {
      creates += 1;
      return Promise.resolve(answer.next);
    });
  return { clock, gate, opened, create, answer, creates: () => creates };
}

describe('the gate of a namespace', () => {
  test('is open until a quota refuses', async () => {
    const { gate, create, creates } = setUp();
    expect(await create()).toBeUndefined();
    expect(gate.closed('a')).toBeUndefined();
    expect(creates()).toBe(1);
  });

  test('twenty that want a pod for an hour send a create a minute and not twenty each three seconds', async () => {
    const { clock, create, answer, creates } = setUp();
    answer.next = quota;
    for (let second = 0; second < 1_200; second += 1) {
      clock.now += 3_000;
      for (let one = 0; one < 20; one += 1) await create();
    }
    expect(creates()).toBeGreaterThan(50);
    expect(creates()).toBeLessThanOrEqual(66);
  });

  test('of one namespace does not hold another', async () => {
    const { gate, create, answer } = setUp();
    answer.next = quota;
    await create('a');
    expect(gate.closed('a')).toMatchObject({ failure: quota });
    expect(gate.closed('b')).toBeUndefined();
  });

  test('lets one at a time through after a pause', async () => {
    const { clock, gate, create, answer, creates } = setUp();
    answer.next = quota;
    await create();
    clock.now += 2_000;
    answer.next = undefined;
    const both = [create(), create()];
    expect(gate.closed('a')).toMatchObject({ until: clock.now + 1_000 });
    expect(await Promise.all(both)).toEqual([undefined, quota]);
    expect(creates()).toBe(2);
  });

  test('tells the others when one got through, and when a pod went', async () => {
    const { clock, gate, create, answer, opened } = setUp();
    answer.next = quota;
    await create();
    gate.freed('a');
    expect(opened).toEqual(['a']);
    expect(gate.closed('a')).toBeUndefined();
    answer.next = undefined;
    await create();
    expect(opened).toEqual(['a', 'a']);
    clock.now += 120_000;
    gate.freed('a');
    expect(opened).toHaveLength(2);
  });

  test('another failure is told and closes nothing', async () => {
    const { gate, create, answer } = setUp();
    answer.next = { reason: 'InvalidSpec', message: 'no' };
    expect(await create()).toMatchObject({ reason: 'InvalidSpec' });
    expect(gate.closed('a')).toBeUndefined();
  });

  test('what was under way together when it closed does not lengthen the pause', async () => {
    const { clock, gate, create, answer } = setUp();
    answer.next = quota;
    await Promise.all([create(), create(), create()]);
    expect(gate.closed('a')?.until).toBe(clock.now + 2_000);
  });
});
