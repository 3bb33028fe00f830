import type { Logger } from 'pino';
import type { KeyRing } from '../profiles/key-ring.ts';
import type { Rewrapper } from './rewrapper.ts';

/** A kubelet needs about a minute to bring a changed Secret; this adds little. */
const LOOK_MS = 15_000;

/**
 * Picks up a rotated wrapping key while the process runs, and has everything rewrapped by it: then, and at the start
 * when an earlier key is still held, for a round may have been broken off.
 */
export function watchKeys(options: { ring: KeyRing; rewrapper: Pick<Rewrapper, 'start'>; log: Logger }): {
  /** Looks at once. Throws when a key cannot be read. */
  reload(): void;
  stop(): void;
} {
  const { ring, rewrapper, log } = options;
  const reload = (): void => {
    if (!ring.reload()) return;
    log.info({ current: ring.current.kid, retired: ring.all.length - 1 }, 'the wrapping keys have changed');
    rewrapper.start();
  };
  const timer = setInterval(() => {
    try {
      reload();
    } catch (error) {
      log.error({ err: error }, 'the wrapping keys cannot be read; those read before stay in use');
    }
  }, LOOK_MS);
  if (ring.all.length > 1) rewrapper.start();
  return { reload, stop: () => clearInterval(timer) };
}
