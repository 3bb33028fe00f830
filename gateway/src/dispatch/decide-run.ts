import type { BrowserSession } from '@podwright/api/kinds/session';
import { type RunRecord, TERMINAL_RUN_STATES } from '@podwright/api/run';
import { isOpen, readyPodOf } from '../sessions/session-state.ts';

/**
 * What to do with a run that stands in its tenant's line.
 * `drop`: it does not belong there. `moved`: it is on its way. `lost`: its browser has ended. `wait`, `ready`.
 */
export type RunDecision = 'drop' | 'moved' | 'lost' | 'wait' | 'ready';

/** `session` is null when the object is known to be gone. */
export function decideRun(run: RunRecord | null, session: BrowserSession | null): RunDecision {
  if (run === null || TERMINAL_RUN_STATES.has(run.state)) return 'drop';
  if (run.state !== 'waiting') return 'moved';
  if (session === null || !isOpen(session)) return 'lost';
  return readyPodOf(session) ? 'ready' : 'wait';
}
