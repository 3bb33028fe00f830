import type { Client } from '@podwright/kube/client';
import { type LeaseHold, acquireLease } from '@podwright/kube/lease';
import type { Logger } from 'pino';

/** Runs work on one replica at a time: whoever holds the lease. */
export interface Leader {
  isLeader(): boolean;
  stop(): Promise<void>;
}

export function startLeader(options: {
  client: Client;
  namespace: string;
  name: string;
  identity: string;
  /** Begins the work; it ends when the returned function is called. */
  begin: (hold: LeaseHold) => () => Promise<void>;
  log: Logger;
  now: () => number;
}): Leader {
  const { begin, log, ...lease } = options;
  const stopping = new AbortController();
  let hold: LeaseHold | undefined;

  const serve = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      hold = await acquireLease({ ...lease, log, monotonic: () => performance.now() }, stopping.signal);
      const end = begin(hold);
      await new Promise<void>((resolve) => {
        const done = (): void => resolve();
        hold!.lost.addEventListener('abort', done, { once: true });
        stopping.signal.addEventListener('abort', done, { once: true });
        if (hold!.lost.aborted || stopping.signal.aborted) resolve();
      });
      await end();
      if (stopping.signal.aborted) await hold.release();
      hold = undefined;
    }
  };
  const serving = serve().catch((error: unknown) => {
    if (!stopping.signal.aborted) log.error({ err: error }, 'the lease cannot be waited for');
  });
  return {
    isLeader: () => hold?.held() ?? false,
    async stop() {
      stopping.abort(new Error('stopping'));
      await serving;
    },
  };
}
