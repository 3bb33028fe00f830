import type { Logger } from 'pino';
import type { Profile } from '../profile/profile.ts';
import type { Latch } from './latch.ts';

/** How long what was kept waits for its collection. */
const COLLECTION_MS = 60_000;

/** The end of the pod, once and in order: doors closed, state kept, collected or given up, browser ended. */
export interface Ending {
  /** SIGTERM: closes the doors, keeps the profile, waits for the collection, then ends. */
  begin(): Promise<void>;
  /** What was kept is stored. */
  collected(): Promise<void>;
  /** Ends at once; nothing is kept. */
  now(because: string): Promise<void>;
  readonly begun: boolean;
}

export function createEnding(options: {
  latch: Latch;
  profile: Profile;
  /** Closes connections and refuses new ones; what is needed for collection stays open. */
  closeDoors: () => void;
  stopBrowser: () => Promise<void>;
  /** Ends this process. */
  exit: () => void;
  log: Logger;
}): Ending {
  const { latch, profile, log } = options;
  const collected = Promise.withResolvers<void>();
  let begun = false;
  let ended = false;

  async function end(because: string): Promise<void> {
    if (ended) return;
    ended = true;
    begun = true;
    options.closeDoors();
    await options.stopBrowser().catch((error: unknown) => log.warn({ err: error }, 'the browser was not stopped'));
    log.info({ because }, 'ended');
    options.exit();
  }

  return {
    async begin() {
      if (begun) return;
      begun = true;
      options.closeDoors();
      if (latch.sessionUid === undefined) return end('the pod served nobody');
      await profile.keep().catch((error: unknown) => log.warn({ err: error }, 'the profile was not kept'));
      const timer = setTimeout(collected.resolve, COLLECTION_MS);
      await collected.promise;
      clearTimeout(timer);
      return end('collected, or the time for it was over');
    },
    async collected() {
      collected.resolve();
      await end('collected');
    },
    now: end,
    get begun() {
      return begun;
    },
  };
}
