import { LABEL } from '@podwright/api/names';
import { describe, expect, test } from 'vitest';
import type { NodeState } from '../pods/pod-state.ts';
import { type PodFacts, at, pod, pool } from '../testing/objects.ts';
import { type PoolObservation, decidePool } from './decide.ts';

const warm = (name: string, facts: PodFacts = {}) =>
  pod({ name, ...facts, labels: { [LABEL.claimed]: 'false', [LABEL.templateHash]: 'new', ...facts.labels } });
const old = (name: string, facts: PodFacts = {}) => warm(name, { ...facts, labels: { [LABEL.templateHash]: 'old' } });
const claimed = (name: string) => pod({ name, labels: { [LABEL.templateHash]: 'old' } });
const claimedNew = (name: string) => pod({ name, labels: { [LABEL.templateHash]: 'new' } });
const onNode1 =
  (state: NodeState): PoolObservation['nodeState'] =>
  (one) =>
    one.spec.nodeName === 'node-1' ? state : 'good';

const decide = (over: Partial<PoolObservation>) => {
  const plan = decidePool({
    now: at(10),
    pool: pool({ warm: { min: 2, max: 4 } }),
    templateHash: 'new',
    pods: [],
    confinement: { status: 'True', reason: 'AsAsked', message: '' },
    nodeState: () => 'good',
    target: 2,
    failures: [],
    refused: undefined,
    pausedUntil: undefined,
    leftovers: undefined,
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
    ['scaled to zero, all go', { target: 0, pods: [warm('a'), claimed('c')] }, 0, ['a surplus']],
    [
      'a dead one is removed and replaced',
      { pods: [warm('a', { browser: { terminated: { exitCode: 70 } } }), warm('b')] },
      1,
      ['a dead'],
    ],
    [
      'one that is being evicted is removed and replaced',
      {
        pods: [
          warm('a', {
            status: { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }] },
          }),
          warm('b'),
        ],
      },
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
      'one on a cordoned node is removed and replaced',
      { nodeState: onNode1('cordoned'), pods: [warm('a'), warm('b', { node: 'node-2' })] },
      1,
      ['a cordoned'],
    ],
    [
      'one on a node that is gone is removed and replaced',
      { nodeState: onNode1('lost'), pods: [warm('a'), warm('b', { node: 'node-2' })] },
      1,
      ['a lost'],
    ],
    [
      'one on a node that is silent for a moment is neither',
      { nodeState: onNode1('quiet'), pods: [warm('a'), warm('b', { node: 'node-2' })] },
      0,
      [],
    ],
    [
      'more than wanted are removed, those first that are not ready',
      { pods: [warm('a'), warm('b'), warm('c', { ready: false })] },
      0,
      ['c surplus'],
    ],
    ['a pool without a tenant keeps none', { templateHash: undefined, pods: [warm('a')] }, 0, ['a outdated']],
    ['after failures it pauses', { now: at(11), failures: [at(9), at(10)] }, 0, []],
    ['and goes on', { now: at(13), failures: [at(9), at(10)] }, 2, []],
    ['a refusal pauses too', { refused: { reason: 'QuotaExceeded', message: 'q', at: at(9) } }, 0, []],
    ['so does a quota that refused somebody else in the namespace', { pausedUntil: at(11) }, 0, []],
  ])('%s', (_name, over, create, removed) => {
    const plan = decide(over);
    expect(plan.create).toBe(create);
    expect(plan.removed).toEqual(removed);
  });
});

describe('a changed template', () => {
  const rolling = (maxUnavailable?: number) =>
    pool({ warm: { min: 4 }, ...(maxUnavailable !== undefined && { updateStrategy: { maxUnavailable } }) });
  const four = [old('o1'), old('o2'), old('o3'), old('o4')];
  const notReady = { ready: false };
  test.each<[string, Partial<PoolObservation>, number, string[]]>([
    ['replaces one warm pod', { pool: rolling(), target: 4, pods: four }, 1, ['o1 outdated']],
    ['or as many as may be missing', { pool: rolling(2), target: 4, pods: four }, 2, ['o1 outdated', 'o2 outdated']],
    [
      'and waits until the new one is ready',
      { pool: rolling(), target: 4, pods: [...four.slice(1), warm('a', notReady)] },
      0,
      [],
    ],
    ['then goes on', { pool: rolling(), target: 4, pods: [...four.slice(1), warm('a')] }, 1, ['o2 outdated']],
    [
      'stops at that when the new one does not work',
      {
        pool: rolling(),
        target: 4,
        failures: [at(1)],
        pods: [...four.slice(1), warm('a', { browser: { terminated: { exitCode: 1 } } })],
      },
      1,
      ['a dead'],
    ],
    ['and while it pauses', { pool: rolling(), target: 4, failures: [at(9), at(10)], pods: four.slice(1) }, 0, []],
    [
      'goes on although every new pod is claimed as soon as it is ready',
      { pool: rolling(), target: 4, pods: [...four.slice(1), claimedNew('c')] },
      2,
      ['o2 outdated'],
    ],
    [
      'throws away at once what is old and not ready',
      { pool: rolling(), target: 4, pods: [old('o1', notReady), old('o2', notReady), old('o3'), old('o4')] },
      2,
      ['o1 outdated', 'o2 outdated'],
    ],
    [
      'takes the surplus from the old',
      { pool: rolling(), target: 2, pods: [old('o1'), warm('a'), warm('b')] },
      0,
      ['o1 outdated'],
    ],
    [
      'that is taken back keeps the pods it had',
      { pool: rolling(), target: 2, pods: [old('o1', notReady), warm('a'), warm('b')] },
      0,
      ['o1 outdated'],
    ],
    ['never touches one that serves a session', { pool: rolling(), target: 0, pods: [claimed('c')] }, 0, []],
  ])('%s', (_name, over, create, removed) => {
    const plan = decide(over);
    expect({ create: plan.create, removed: plan.removed }).toEqual({ create, removed });
  });

  test('is through after as many steps as it has pods, and no pod too many is made', () => {
    let pods = [...four];
    let made = 0;
    for (let step = 0; step < 20; step += 1) {
      const plan = decide({ pool: rolling(), target: 4, pods });
      pods = pods.filter((one) => !plan.remove.some(({ pod: gone }) => gone === one));
      for (let one = 0; one < plan.create; one += 1) pods.push(warm(`n${(made += 1)}`));
      expect(pods.length).toBeLessThanOrEqual(4);
    }
    expect(made).toBe(4);
    expect(pods.every(({ metadata }) => metadata.labels?.[LABEL.templateHash] === 'new')).toBe(true);
  });
});

describe('the status of a pool', () => {
  const conditionsOf = (over: Partial<PoolObservation>): string[] =>
    decide(over)
      .status.conditions!.filter(({ type }) => type !== 'Confined')
      .map(({ type, status, reason }) => `${type} ${status} ${reason}`);

  test('counts what is there', () => {
    const { status } = decide({ pods: [warm('a'), warm('b', { ready: false }), claimed('c')] });
    expect(status).toMatchObject({ warm: 1, starting: 1, claimed: 1, target: 2, templateHash: 'new' });
    const rolling = decide({ target: 3, pods: [warm('a', { ready: false }), old('o1'), old('o2')] });
    expect(rolling.status).toMatchObject({ warm: 0, starting: 1, outdated: 2 });
  });

  test.each<[string, Partial<PoolObservation>, string[]]>([
    ['full', { pods: [warm('a'), warm('b')] }, ['Ready True Warm', 'Degraded False Fine']],
    ['filling', {}, ['Ready False Warming', 'Degraded False Fine']],
    [
      'with pods on a silent node',
      { nodeState: onNode1('quiet'), pods: [warm('a'), warm('b')] },
      ['Ready False Warming', 'Degraded False Fine'],
    ],
    ['without a tenant', { templateHash: undefined }, ['Ready False UnknownTenant', 'Degraded False Fine']],
    [
      'after its tenant was removed',
      { templateHash: undefined, leftovers: { sessions: 2, pods: 3 } },
      ['Ready False TenantRemoved', 'Degraded False Fine'],
    ],
    [
      'whose pods die',
      { pods: [warm('a', { browser: { terminated: { exitCode: 70 } } }), warm('b')] },
      ['Ready False Warming', 'Degraded True PodFailed'],
    ],
    [
      'with a used-up quota',
      { refused: { reason: 'QuotaExceeded', message: 'exceeded quota', at: at(9) } },
      ['Ready False Warming', 'Degraded True QuotaExceeded'],
    ],
    [
      'with a template that the API server refuses',
      { refused: { reason: 'InvalidSpec', message: 'no such priority class', at: at(9) } },
      ['Ready False Warming', 'Degraded True InvalidSpec'],
    ],
  ])('%s', (_name, over, expected) => {
    expect(conditionsOf(over)).toEqual(expected);
  });

  test('says in words what is left of a removed tenant', () => {
    const { status } = decide({ templateHash: undefined, leftovers: { sessions: 2, pods: 3 } });
    expect(status.conditions?.[0]?.message).toMatch(/2 sessions .* 3 pods/);
  });

  test('a pool that asks for what it may not have keeps no warm pods, and says why', () => {
    const message = 'image evil is not on the list';
    const plan = decide({ pods: [warm('a')], confinement: { status: 'False', reason: 'NotAllowed', message } });
    expect(plan).toMatchObject({ create: 0, removed: ['a surplus'] });
    expect(plan.status.conditions?.at(-1)).toMatchObject({ type: 'Confined', reason: 'NotAllowed', message });
  });

  test('what a node lacks is said until pods start again, though the pods that showed it are gone', () => {
    const gap = { status: 'False', reason: 'NodeLacks', message: 'no profile on n1' } as const;
    const seen = decide({ failures: [at(9)], confinement: gap }).status;
    const later = pool({ warm: { min: 1 } }, { status: seen });
    expect(decide({ pool: later, failures: [at(9)] }).status.conditions?.at(-1)).toMatchObject(gap);
    const fine = decide({ pool: later, failures: [at(9)], pods: [warm('a'), warm('b')] }).status;
    expect(fine.conditions?.at(-1)).toMatchObject({ status: 'True', reason: 'AsAsked' });
  });
});
