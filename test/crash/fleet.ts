import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OperatorProcess } from '../harness/operator-process.ts';
import type { World } from './world.ts';

/** Two replicas that are started again whenever they end, as a Deployment does, with one wrong clock for both. */
export interface Fleet {
  kill(): Promise<void>;
  /** Stops the leader where it is for a while. */
  pause(durationMs: number): Promise<void>;
  /** Milliseconds by which their wall clock is wrong from now on. */
  setClock(offsetMs: number): Promise<void>;
  log(): readonly string[];
  stop(): Promise<void>;
}

export async function startFleet(world: World): Promise<Fleet> {
  const clockFile = join(world.directory, 'clock');
  await writeFile(clockFile, '0');
  const replicas = new Set<OperatorProcess>();
  const log: string[] = [];
  let stopping = false;

  async function start(): Promise<OperatorProcess> {
    const replica = await world.startOperator({ clockFile });
    replicas.add(replica);
    void replica.exited.then(() => {
      replicas.delete(replica);
      log.push(...replica.log.slice(-10));
      if (!stopping) return start();
      return undefined;
    });
    return replica;
  }
  /** The one that holds the lease now; any other when none does. */
  async function leader(): Promise<OperatorProcess | undefined> {
    const name = await world.leader();
    return [...replicas].find((replica) => replica.name === name) ?? [...replicas][0];
  }

  const first = await start();
  await first.leading;
  await start();
  return {
    async kill() {
      await (await leader())?.kill();
    },
    async pause(durationMs) {
      const replica = await leader();
      replica?.signal('SIGSTOP');
      setTimeout(() => replica?.signal('SIGCONT'), durationMs);
    },
    async setClock(offsetMs) {
      await writeFile(clockFile, String(offsetMs));
      for (const replica of replicas) replica.signal('SIGUSR2');
    },
    log: () => [...log, ...[...replicas].flatMap((replica) => replica.log.slice(-20))].slice(-60),
    async stop() {
      stopping = true;
      await Promise.all([...replicas].map((replica) => replica.kill()));
      await world.freeLease();
    },
  };
}
