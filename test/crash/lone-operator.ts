import type { OperatorProcess } from '../harness/operator-process.ts';
import type { World } from './world.ts';

/** One operator at a time, with a spare that has started and waits: what a kill costs is what the operator itself needs. */
export interface LoneOperator {
  /** SIGKILL at this very instant; the spare leads as soon as the other is gone. */
  killAndReplace(): void;
  /** Resolves when a leader is there. */
  leading(): Promise<void>;
  /** Lines of the one that runs now. */
  log(): readonly string[];
  /** No operator runs any more. */
  stop(): Promise<void>;
}

export async function startLoneOperator(world: World): Promise<LoneOperator> {
  let operator = await world.startOperator();
  let spare = world.startOperator({ hold: true });
  let leading = operator.leading;

  async function replace(killed: OperatorProcess): Promise<void> {
    await killed.exited;
    // It would run out by itself after some seconds, and nobody holds it: takeover has tests of its own.
    await world.freeLease();
    operator = await spare;
    operator.go();
    spare = world.startOperator({ hold: true });
    await operator.leading;
  }

  return {
    killAndReplace() {
      operator.signal('SIGKILL');
      leading = replace(operator);
      leading.catch(() => {});
    },
    leading: () => leading,
    log: () => operator.log,
    async stop() {
      await leading;
      await Promise.all([operator.kill(), (await spare).kill()]);
      await world.freeLease();
    },
  };
}
