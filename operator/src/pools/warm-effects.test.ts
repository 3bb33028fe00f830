import type { Client } from '@podwright/kube/client';
import { KubeError } from '@podwright/kube/kube-error';
import type { Pod } from '@podwright/kube/objects';
import { describe, expect, test } from 'vitest';
import { createCreateGate } from '../pods/create-gate.ts';
import type { PodTemplate } from '../pods/pod-template.ts';
import { pod, pool } from '../testing/objects.ts';
import { type Unanswered, createWarmEffects } from './warm-effects.ts';

const template: PodTemplate = { labels: {}, spec: { containers: [] }, offence: undefined, hash: 'h' };
const quota = () => new KubeError(403, 'Forbidden', 'exceeded quota: pods');

/** An API server of three verbs: `answers` are taken one after the other, `undefined` makes the pod. */
function setUp(...answers: (Error | undefined)[]) {
  const calls: string[] = [];
  const made = new Set<string>();
  const remembered: string[] = [];
  let names = 0;
  const named = (name: string): Pod => pod({ name });
  const client = {
    create(_type: unknown, { metadata }: Pod) {
      calls.push(`create ${metadata.name.slice(-2)}`);
      const answer = answers.shift();
      if (answer instanceof KubeError && answer.code === 0) made.add(metadata.name);
      if (answer) return Promise.reject(answer);
      if (made.has(metadata.name)) return Promise.reject(new KubeError(409, 'AlreadyExists', 'already exists'));
      made.add(metadata.name);
      return Promise.resolve(named(metadata.name));
    },
    find: (_type: unknown, { name }: { name: string }) => Promise.resolve(named(name)),
    delete(_type: unknown, { name }: { name: string }, guard: { resourceVersion?: string }) {
      calls.push(`delete ${name} at ${guard.resourceVersion}`);
      const answer = answers.shift();
      return answer ? Promise.reject(answer) : Promise.resolve(undefined);
    },
  };
  const reserved = new Set<string>();
  const effects = createWarmEffects({
    client: client as unknown as Client,
    caches: {
      pods: { remember: ({ metadata }: Pod) => remembered.push(metadata.name), forget() {} },
    } as unknown as Parameters<typeof createWarmEffects>[0]['caches'],
    gate: createCreateGate({ now: () => 1_000, onOpen() {} }),
    reserved,
    randomName: () => `aaaaaa${String((names += 1)).padStart(2, '0')}`,
  });
  const unanswered: Unanswered = new Set();
  const fill = (count: number) => effects.create(pool(), template, count, unanswered);
  return { calls, made, remembered, effects, reserved, unanswered, fill };
}

describe('filling a pool', () => {
  test('makes as many as are missing, the first alone', async () => {
    const { fill, made, remembered } = setUp();
    expect(await fill(12)).toBeUndefined();
    expect(made.size).toBe(12);
    expect(remembered).toHaveLength(12);
  });

  test('stops at the first refusal of a quota', async () => {
    const { fill, calls } = setUp(quota());
    expect(await fill(12)).toMatchObject({ reason: 'QuotaExceeded' });
    expect(calls).toEqual(['create 01']);
    expect(await fill(12)).toMatchObject({ reason: 'QuotaExceeded' });
    expect(calls).toHaveLength(1);
  });

  test('a create without an answer is tried again under its name, and no second pod is made', async () => {
    const { fill, calls, made, remembered, unanswered } = setUp(new KubeError(0, 'Timeout', 'no answer in time'));
    await expect(fill(1)).rejects.toThrow('no answer');
    expect([...unanswered]).toEqual(['aaaaaa01']);
    await fill(1);
    expect(calls).toEqual(['create 01', 'create 01']);
    expect(made.size).toBe(1);
    expect(remembered).toHaveLength(1);
    expect(unanswered.size).toBe(0);
  });

  test('what the API server does not take is told', async () => {
    const { fill } = setUp(new KubeError(422, 'Invalid', 'spec.nodeSelector is wrong'));
    expect(await fill(1)).toEqual({ reason: 'InvalidSpec', message: 'spec.nodeSelector is wrong' });
  });
});

describe('removing a warm pod', () => {
  test('is guarded by its version', async () => {
    const { effects, calls } = setUp();
    expect(await effects.remove(pod({ name: 'a' }))).toBe(true);
    expect(calls).toEqual(['delete a at 1']);
  });

  test('leaves one alone that was claimed meanwhile', async () => {
    const { effects, remembered } = setUp(new KubeError(409, 'Conflict', 'the resourceVersion does not match'));
    const before = pod({ name: 'a' });
    before.metadata.resourceVersion = '0';
    expect(await effects.remove(before)).toBe(false);
    expect(remembered).toEqual(['a']);
  });

  test('fails when it was refused and nothing changed: no event would bring the next try', async () => {
    const { effects } = setUp(new KubeError(409, 'Conflict', 'the object has been modified'));
    await expect(effects.remove(pod({ name: 'a' }))).rejects.toThrow('modified');
  });

  test('leaves one alone that is being claimed', async () => {
    const { effects, calls, reserved } = setUp();
    reserved.add('uid-a');
    expect(await effects.remove(pod({ name: 'a' }))).toBe(false);
    expect(calls).toEqual([]);
  });
});
