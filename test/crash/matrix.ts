import { FAULTS, type Fault, type WriteId, createStriker, writesOf } from './faults.ts';
import { eventsOf, violations } from './invariants.ts';
import { type EndState, namespacesOf, runScenario } from './scenario.ts';
import type { LoneOperator } from './lone-operator.ts';
import type { World } from './world.ts';

export interface Cell {
  write: WriteId;
  /** Place of the write in the reference scenario, from 1. */
  number: number;
  fault: Fault;
}

/** `missed`: the write did not come up in this replay (statuses that tell of two changes at once differ by timing). */
export type Verdict = { is: 'held' | 'missed' } | { is: 'broken'; problems: string[]; log: string[] };

export interface Reference {
  end: EndState;
  events: Map<string, number>;
  writes: WriteId[];
}

const REFERENCE_RUNS = 3;
const TRIES = 3;
/** Long enough for every retry after one fault; what takes longer is stuck. */
const STEP_MS = 20_000;

/** Runs scenarios in one world, each in a tenant of its own. */
export interface Replays {
  reference(): Promise<Reference>;
  replay(cell: Cell, reference: Reference): Promise<Verdict>;
}

export function createReplays(world: World, operator: LoneOperator, numberOf: () => number): Replays {
  async function once(target: (WriteId & { fault: Fault }) | undefined) {
    const name = `crash-${numberOf()}`;
    const striker = createStriker({ target, kill: () => operator.killAndReplace() });
    await operator.leading();
    world.proxy.interceptor = striker;
    const end = await runScenario(world, name, STEP_MS);
    await operator.leading();
    world.proxy.interceptor = undefined;
    const namespaces = namespacesOf(name);
    const record = world.history.of(namespaces);
    const uids = new Set(record.pods.map(({ uid }) => uid));
    const bindings = new Map([...world.pods.bindings].filter(([uid]) => uids.has(uid)));
    world.history.forget(namespaces);
    return { end, record, bindings, striker };
  }

  return {
    async reference() {
      const runs = [];
      for (let run = 1; run <= REFERENCE_RUNS; run += 1) runs.push(await once(undefined));
      const events = new Map<string, number>();
      for (const { record } of runs)
        for (const [key, count] of eventsOf(record)) events.set(key, Math.max(count, events.get(key) ?? 0));
      const { end } = runs[0]!;
      for (const { end: other, record, bindings } of runs) {
        const wrong = violations({ reference: end, end: other, record, bindings, referenceEvents: events, faults: 0 });
        if (wrong.length > 0) throw new Error(`the reference scenario itself is wrong: ${wrong.join('; ')}`);
      }
      return { end, events, writes: writesOf(runs.map(({ striker }) => striker.seen)) };
    },
    async replay({ write, fault }, reference) {
      for (let attempt = 1; attempt <= TRIES; attempt += 1) {
        const { end, record, bindings, striker } = await once({ ...write, fault });
        const problems = violations({
          reference: reference.end,
          end,
          record,
          bindings,
          referenceEvents: reference.events,
          faults: 1,
        });
        if (problems.length > 0) return { is: 'broken', problems, log: operator.log().slice(-40) };
        if (striker.struck) return { is: 'held' };
      }
      return { is: 'missed' };
    },
  };
}

/** All cells, or every fourth write with one kind of fault after the other. */
export function cellsOf(writes: readonly WriteId[], short: boolean): Cell[] {
  return writes.flatMap((write, index) => {
    if (short && index % 4 !== 0) return [];
    const faults = short ? [FAULTS[(index / 4) % FAULTS.length]!] : FAULTS;
    return faults.map((fault) => ({ write, number: index + 1, fault }));
  });
}
