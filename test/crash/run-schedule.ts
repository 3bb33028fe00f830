import { setTimeout as sleep } from 'node:timers/promises';
import type { Interceptor } from '../harness/api-proxy.ts';
import type { Fleet } from './fleet.ts';
import { violations } from './invariants.ts';
import type { Reference, Verdict } from './matrix.ts';
import { namespacesOf, runScenario } from './scenario.ts';
import { type Trouble } from './schedule.ts';
import type { World } from './world.ts';

/** A lease that runs out, a start and back-offs, several times over. */
const STEP_MS = 90_000;

/** Plays the troubles while the scenario runs, then heals everything; what must hold then is the same as ever. */
export async function runSchedule(options: {
  world: World;
  fleet: Fleet;
  name: string;
  troubles: readonly Trouble[];
  reference: Reference;
}): Promise<Verdict> {
  const { world, fleet, name, troubles, reference } = options;
  const conflicts = createConflicts();
  world.proxy.interceptor = conflicts;
  const scenario = runScenario(world, name, STEP_MS);
  const startedAt = performance.now();
  for (const trouble of troubles) {
    await sleep(Math.max(0, trouble.at - (performance.now() - startedAt)));
    await cause(trouble);
  }
  const end = await scenario;
  // Nothing of it may reach into the next.
  const healed = Math.max(...troubles.map((trouble) => trouble.at + ('forMs' in trouble ? trouble.forMs : 0)));
  await sleep(Math.max(0, healed - (performance.now() - startedAt)));
  world.proxy.interceptor = undefined;
  await fleet.setClock(0);
  const namespaces = namespacesOf(name);
  const record = world.history.of(namespaces);
  const uids = new Set(record.pods.map(({ uid }) => uid));
  const bindings = new Map([...world.pods.bindings].filter(([uid]) => uids.has(uid)));
  world.history.forget(namespaces);
  const problems = violations({
    reference: reference.end,
    end,
    record,
    bindings,
    referenceEvents: reference.events,
    faults: troubles.length + conflicts.refused,
  });
  return problems.length === 0 ? { is: 'held' } : { is: 'broken', problems, log: [...fleet.log()] };

  async function cause(trouble: Trouble): Promise<void> {
    switch (trouble.do) {
      case 'kill':
        return fleet.kill();
      case 'pause':
        return fleet.pause(trouble.forMs);
      case 'stale':
        world.proxy.readDelayMs = trouble.delayMs;
        setTimeout(() => (world.proxy.readDelayMs = 0), trouble.forMs);
        return;
      case 'conflict':
        return conflicts.refuse(trouble.writes);
      case 'clock':
        return fleet.setClock(trouble.offsetMs);
    }
  }
}

/** Refuses the next writes to existing objects as the server does when somebody else was faster. */
function createConflicts(): Interceptor & { refuse(writes: number): void; readonly refused: number } {
  let left = 0;
  let refused = 0;
  return {
    refuse(writes) {
      left += writes;
    },
    get refused() {
      return refused;
    },
    before({ method }) {
      if (left === 0 || method === 'POST') return 'forward';
      left -= 1;
      refused += 1;
      const message = 'the object has been modified; please apply your changes to the latest version and try again';
      return { status: 409, body: { kind: 'Status', status: 'Failure', reason: 'Conflict', code: 409, message } };
    },
  };
}
