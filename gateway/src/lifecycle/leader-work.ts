import type { LeaseHold } from '@podwright/kube/lease';
import { startWorkQueue } from '@podwright/kube/work-queue';
import type { Logger } from 'pino';
import type { Evictor } from '../eviction/evictor.ts';
import type { SessionCache } from '../sessions/session-cache.ts';
import type { Settler } from '../settle/settler.ts';

/** The work of the one replica that holds the lease: settling, metering and idle eviction of every session. */
export interface LeaderWork {
  /** Something about this session changed that no watch tells. Ignored while this replica does not lead. */
  touch(sessionUid: string): void;
  begin: (hold: LeaseHold) => () => Promise<void>;
}

export function createLeaderWork(options: {
  cache: SessionCache;
  settlerFor: (hold: LeaseHold) => Settler;
  evictorFor: (hold: LeaseHold) => Evictor;
  /** UIDs of the sessions of runs that are on their way; the session itself may be gone. */
  atWork: () => Promise<string[]>;
  /** Every session is looked at this often, so that its cost is booked and nothing is forgotten. */
  everyMs: number;
  log: Logger;
  now: () => number;
}): LeaderWork {
  const { cache, settlerFor, evictorFor, atWork, everyMs, log, now } = options;
  let settling: ReturnType<typeof startWorkQueue> | undefined;

  return {
    touch(sessionUid) {
      settling?.add(sessionUid);
    },
    begin(hold) {
      const settler = settlerFor(hold);
      const evictor = evictorFor(hold);
      const settle = startWorkQueue({ name: 'settle', work: (uid) => settler.settle(uid), concurrency: 16, now, log });
      const evict = startWorkQueue({ name: 'evict', work: (uid) => evictor.look(uid), concurrency: 8, now, log });
      settling = settle;
      // Everything that is known arrives at once, so a new holder begins with what the old one left.
      const forget = cache.onChange(({ metadata: { uid } }) => {
        settle.add(uid);
        evict.add(uid);
      });
      const lookAtAll = async (): Promise<void> => {
        for (const session of cache.all()) settle.add(session.metadata.uid);
        for (const uid of await atWork()) settle.add(uid);
      };
      const timer = setInterval(() => {
        lookAtAll().catch((error: unknown) => log.warn({ err: error }, 'runs at work could not be listed'));
      }, everyMs);
      return async () => {
        clearInterval(timer);
        forget();
        settling = undefined;
        await Promise.all([settle.stop(), evict.stop()]);
      };
    },
  };
}
