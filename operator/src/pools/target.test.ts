import { describe, expect, test } from 'vitest';
import { type TargetInput, decideTarget, peakDemand } from './target.ts';

const NOW = 10_000_000;
const ago = (...seconds: number[]): number[] => seconds.map((one) => NOW - one * 1000).toSorted((a, b) => a - b);
const every = (seconds: number, count: number): number[] =>
  ago(...Array.from({ length: count }, (_one, index) => index * seconds));

describe('peak demand', () => {
  test.each<[string, number[], number, number]>([
    ['nothing claimed is nothing wanted', [], 5, 0],
    ['one claim wants one pod', ago(10), 5, 1],
    ['claims further apart than a start need one pod each in turn', ago(10, 20, 30), 5, 1],
    ['a burst within one start needs as many as it was', ago(60, 61, 62, 63), 5, 4],
    ['a slow start makes the same claims overlap', ago(10, 20, 30, 40), 35, 4],
    ['a steady rate gives rate times start time', every(0.5, 200), 10, 20],
    ['what was more than five minutes ago is forgotten', ago(301, 302, 303), 5, 0],
  ])('%s', (_name, claims, startSeconds, expected) => {
    expect(peakDemand(claims, startSeconds * 1000, NOW)).toBe(expected);
  });
});

const target = (over: Partial<TargetInput> = {}) =>
  decideTarget({ now: NOW, min: 1, max: 10, room: 100, claims: [], startMs: 5_000, memory: { held: [] }, ...over });

describe('the target', () => {
  test.each<[string, Partial<TargetInput>, number]>([
    ['is min without demand', {}, 1],
    ['is zero when min is', { min: 0 }, 0],
    ['follows a burst with a margin', { claims: ago(1, 1, 2, 2) }, 5],
    ['grows from zero with the first cold start', { min: 0, claims: ago(1) }, 2],
    ['never exceeds max', { claims: every(0.1, 300) }, 10],
    ['never goes below min', { min: 6, claims: ago(1) }, 6],
    ['is min when no max is given', { min: 2, max: 2, claims: every(0.1, 300) }, 2],
    [
      'leaves out pods that nobody could claim, because the pool is nearly full',
      { room: 3, claims: ago(1, 1, 1, 1) },
      3,
    ],
    ['keeps min although the pool is full', { room: 0, claims: ago(1, 1, 1, 1) }, 1],
    ['keeps what was wanted a moment ago', { memory: { held: [{ wanted: 7, until: NOW + 1 }] } }, 7],
    ['lets it go when its time is over', { memory: { held: [{ wanted: 7, until: NOW }] } }, 1],
    ['is bounded by a max that was lowered since', { max: 3, memory: { held: [{ wanted: 7, until: NOW + 1 }] } }, 3],
  ])('%s', (_name, over, expected) => {
    expect(target(over).target).toBe(expected);
  });

  test('after a burst it is held, and then falls once and not in steps up and down', () => {
    const claims = ago(0, 0, 1, 1, 2, 2);
    let memory = target().memory;
    const seen: number[] = [];
    for (let second = 0; second < 600; second += 5) {
      const next = target({ now: NOW + second * 1000, claims, memory });
      memory = next.memory;
      if (seen.at(-1) !== next.target) seen.push(next.target);
    }
    expect(seen).toEqual([8, 1]);
  });

  test('a demand that trembles by one does not make the target tremble', () => {
    let memory = target().memory;
    const seen = new Set<number>();
    for (let second = 300; second < 1500; second += 5) {
      // Four claims in every other half minute, three in the others.
      const claims: number[] = [];
      for (let at = 0; at <= second; at += 30) {
        for (let one = 0; one < ((at / 30) % 2 === 0 ? 4 : 3); one += 1) claims.push(NOW + at * 1000);
      }
      const next = target({ now: NOW + second * 1000, claims, memory });
      memory = next.memory;
      seen.add(next.target);
    }
    expect([...seen]).toEqual([5]);
  });

  test('it looks again by itself while it is above what min asks for', () => {
    expect(target({ claims: ago(1) }).at).toBe(NOW + 15_000);
    expect(target().at).toBeUndefined();
  });
});
