import type { LauncherClient } from './launcher-client.ts';

/** Policies reach a node some time after the pod has started; until then a canary may get through. */
const ATTEMPTS = 20;
const PAUSE_MS = 1000;

export interface Isolation {
  checked: boolean;
  reached: string[];
}

/**
 * Connects from the browser container to addresses it must not reach, until none answers or the attempts are over.
 * `report` hears every result; `checked` becomes true with the last one.
 */
export async function checkIsolation(options: {
  canaries: readonly string[];
  launcher: Pick<LauncherClient, 'probe'>;
  report: (isolation: Isolation) => void;
  pause: (ms: number) => Promise<void>;
  signal: AbortSignal;
}): Promise<void> {
  for (let attempt = 1; !options.signal.aborted; attempt += 1) {
    try {
      const reached = await options.launcher.probe(options.canaries);
      const checked = reached.length === 0 || attempt >= ATTEMPTS;
      options.report({ checked, reached });
      if (checked) return;
    } catch {
      // The launcher may not be up yet: the check stays open, and the session with it.
    }
    await options.pause(PAUSE_MS);
  }
}
