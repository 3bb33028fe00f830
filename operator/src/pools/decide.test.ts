import { LABEL } from '@podwright/api/names';
import { describe, expect, test } from 'vitest';
import { type PodFacts, at, pod, pool } from '../testing/objects.ts';
import { type PoolObservation, decidePool } from './decide.ts';

const warm = (name: string, facts: PodFacts = {}) =>
  pod({ name, ...facts, labels: { [LABEL.claimed]: 'false', [LABEL.templateHash]: 'new', ...facts.labels } });
const old = (name: string, facts: PodFacts = {}) => warm(name, { ...facts, labels: { [LABEL.templateHash]: 'old' } });
const claimed = (name: string) => pod({ name, labels: { [LABEL.templateHash]: 'old' } });

const decide = (over: Partial<PoolObservation>) => {
  const plan = decidePool({
    now: at(10),
    pool: pool({ warm: { min: 2, max: 4 } }),
    templateHash: 'new',
    pods: [],
    cordoned: new Set(),
    failures: [],
    refused: undefined,
    ...over,
  });
  return { ...plan, removed: plan.remove.map(({ pod: gone, why }) => `${gone.metadata.name} ${why}`) };
};

describe('warm pods', () => {
  test.each<[string, Partial<PoolObservation>, number, string[]]>([
    ['an empty pool is filled', {}, 2, []],
    ['a full pool is left alone', { pods: [warm('a'), warm('b')] }, 0, []],
    [
      'pods that are starting count: none is made twice',
      { pods: [warm('a', { ready: false }), warm('b', { ready: false })] },
      0,
      [],
    ],
    ['a claimed pod is not warm, and is never touched', { pods: [claimed('c'), warm('a')] }, 1, []],
    [
      'a dead one is removed and replaced',
      { pods: [warm('a', { browser: { terminated: { exitCode: 70 } } }), warm('b')] },
      1,
      ['a dead'],
    ],
    [
      'one that does not get ready is removed',
      { now: at(500), pods: [warm('a', { ready: false }), warm('b')] },
      1,
      ['a stuck'],
    ],
    [
      'one on a cordoned node is removed',
      { cordoned: new Set(['node-1']), pods: [warm('a'), warm('b', { node: 'node-2' })] },
      1,
      ['a cordoned'],
    ],
    [
      'more than wanted are removed, those first that are not ready',
      { pods: [warm('a'), warm('b'), warm('c', { ready: false })] },
      0,
      ['c surplus'],
    ],
    ['old ones stay until new ones are ready', { pods: [old('o1'), old('o2')] }, 2, []],
    ['and go one by one', { pods: [old('o1'), old('o2'), warm('a'), warm('b', { ready: false })] }, 0, ['o2 outdated']],
    ['until none is left', { pods: [old('o1'), warm('a'), warm('b')] }, 0, ['o1 outdated']],
    ['a pool without a tenant keeps none', { templateHash: undefined, pods: [warm('a')] }, 0, ['a outdated']],
    ['after failures it pauses', { now: at(11), failures: [at(9), at(10)] }, 0, []],
    ['and goes on', { now: at(13), failures: [at(9), at(10)] }, 2, []],
    ['a refusal pauses too', { refused: { reason: 'QuotaExceeded', message: 'q', at: at(9) } }, 0, []],
  ])('%s', (_name, over, create, removed) => {
    const plan = decide(over);
    expect(plan.create).toBe(create);
    expect(plan.removed).toEqual(removed);
  });

  test('status counts what is there', () => {
    const { status } = decide({ pods: [warm('a'), warm('b', { ready: false }), claimed('c')] });
    expect(status).toMatchObject({ warm: 1, starting: 1, claimed: 1, target: 2, templateHash: 'new' });
    expect(status.conditions?.map(({ type, status: is }) => `${type} ${is}`)).toEqual([
      'Ready False',
      'Degraded False',
    ]);
  });

  test('a refusal shows as Degraded with its words', () => {
    const { status } = decide({ refused: { reason: 'QuotaExceeded', message: 'exceeded quota', at: at(9) } });
    expect(status.conditions?.[1]).toMatchObject({
      type: 'Degraded',
      status: 'True',
      reason: 'QuotaExceeded',
      message: 'exceeded quota',
    });
  });
});
