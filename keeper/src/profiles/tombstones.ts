import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ProfileKeeper } from './profile-keeper.ts';
import type { ProfileId } from './profile-store.ts';

/** Left by the operator when a profile was let go before its bytes could be deleted. */
export interface Tombstone {
  profile: ProfileId;
  /** Takes it away, once the bytes are gone. */
  clear(signal: AbortSignal): Promise<void>;
}

const LOOK_MS = 60_000;
const DEADLINE_MS = 30_000;

/** Works off tombstones from the start of the process on: what it finds at once is what it missed while it was away. */
export function startTombstones(options: {
  list: (signal: AbortSignal) => Promise<Tombstone[]>;
  profiles: Pick<ProfileKeeper, 'remove'>;
  log: Logger;
}): { stop(): Promise<void> } {
  const { log } = options;
  const ending = new AbortController();

  async function round(): Promise<void> {
    const deadline = (): AbortSignal => AbortSignal.any([ending.signal, AbortSignal.timeout(DEADLINE_MS)]);
    for (const tombstone of await options.list(deadline())) {
      const { profile } = tombstone;
      try {
        const blobs = await options.profiles.remove(profile, deadline());
        await tombstone.clear(deadline());
        log.info({ ...profile, blobs }, 'bytes of a profile that is gone were deleted');
      } catch (error) {
        if (ending.signal.aborted) return;
        log.warn({ err: error, ...profile }, 'bytes of a profile that is gone are still there');
      }
    }
  }

  async function work(): Promise<void> {
    while (!ending.signal.aborted) {
      await round().catch((error: unknown) => {
        if (!ending.signal.aborted) log.warn({ err: error }, 'tombstones cannot be listed');
      });
      await sleep(LOOK_MS, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  }

  const done = work();
  return {
    async stop() {
      ending.abort(new Error('the keeper is shutting down'));
      await done;
    },
  };
}
