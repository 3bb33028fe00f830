import { setTimeout as sleep } from 'node:timers/promises';
import { CLOSE } from '@podwright/api/pod-door';
import type { Logger } from 'pino';
import type { TunnelRegistry } from '../tunnel/tunnel-registry.ts';

/**
 * Leaves without breaking anything: readiness goes off first and requests are still answered, each closing its
 * connection, until load balancers have turned away; clients that poll never meet a reset. Then tunnels are told to come
 * back elsewhere.
 */
export interface Drain {
  isDraining: () => boolean;
  /** Resolves when everything is closed. */
  run(): Promise<void>;
}

const TUNNELS_MS = 5_000;
/** Load balancers have turned away once nobody has come for this long … */
const QUIET_MS = 2_500;
/** … and are not waited for longer than this beyond the grace. */
const LATE_MS = 15_000;

export function createDrain(options: {
  /** How long requests are answered at least after readiness went off. */
  graceMs: number;
  /** When the last request came, on the clock of `now`; probes and scrapes do not count. */
  lastRequestAt: () => number;
  now: () => number;
  tunnels: TunnelRegistry;
  /** Closed one after the other: servers first, then what they use. */
  close: (() => Promise<unknown>)[];
  log: Logger;
}): Drain {
  const { graceMs, lastRequestAt, now, tunnels, close, log } = options;
  let draining = false;
  return {
    isDraining: () => draining,
    async run() {
      if (draining) return;
      draining = true;
      log.info({ graceMs }, 'draining');
      await sleep(graceMs);
      const latest = now() + LATE_MS;
      while (now() - lastRequestAt() < QUIET_MS && now() < latest) await sleep(250);
      await Promise.race([tunnels.closeAll(CLOSE.goingAway), sleep(TUNNELS_MS, undefined, { ref: false })]);
      for (const act of close) await act();
      log.info({}, 'drained');
    },
  };
}
