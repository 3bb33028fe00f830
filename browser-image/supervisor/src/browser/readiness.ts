import type { SandboxMode } from '@podwright/api/kinds/pool';
import type { LauncherFacts } from '@podwright/api/pod-launcher';
import { sandboxFacts, sandboxShortfall } from './sandbox-proof.ts';

/** What was seen of the browser container last. */
export interface Observation {
  /** Chromium answered `Browser.getVersion` with it. */
  version: string | undefined;
  pages: number;
  facts: LauncherFacts | undefined;
  /** `undefined` until Chromium was asked for its sandbox. */
  chromiumAdequate: boolean | null | undefined;
}

/** Why the pod is not ready, in words; undefined when it is. Pure. */
export function decideNotReady(seen: Observation, mode: SandboxMode): string | undefined {
  if (seen.facts === undefined) return 'the launcher of the browser container does not answer';
  if (!seen.facts.chromium.running) return 'Chromium is not running';
  if (!seen.facts.display.running) return 'the display is not up';
  if (!seen.facts.vnc.running) return 'the VNC server is not up';
  if (seen.version === undefined) return 'Chromium has not answered a command';
  if (seen.pages === 0) return 'the browser has no page';
  if (seen.chromiumAdequate === undefined) return 'Chromium has not been asked for its sandbox';
  const sandbox = sandboxFacts(seen.facts, seen.chromiumAdequate);
  if (sandbox === null) return 'no renderer runs yet';
  return sandboxShortfall(mode, sandbox);
}
