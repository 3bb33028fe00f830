import { TERMINAL_PHASES } from '@podwright/api/kinds/session';
import { type Draft, type Plan, isTrue, startDraft } from './draft.ts';
import { endingOf } from './ending.ts';
import type { Observation } from './observation.ts';
import { queue } from './queueing.ts';
import { start } from './starting.ts';
import { finish, stop } from './stopping.ts';

/** What is to become of one session now. Pure: the same observation gives the same plan. */
export function decide(observation: Observation): Plan {
  const draft = startDraft(observation);
  fill(draft, observation);
  // An instant that has passed and is not acted on is not to be looked at again at once, for ever.
  if (observation.clockHeld && draft.at !== undefined && draft.at <= observation.now) {
    draft.at = observation.now + CLOCK_AGAIN_MS;
  }
  return draft;
}

/** How long between two looks at what an untrusted clock says. */
const CLOCK_AGAIN_MS = 10_000;

function fill(draft: Draft, observation: Observation): void {
  const { status } = observation.session;
  if (status?.phase !== undefined && TERMINAL_PHASES.has(status.phase)) {
    finish(draft, observation);
    return;
  }
  const ending = endingOf(observation);
  if (ending) {
    stop(draft, observation, ending);
    return;
  }
  const admitted = isTrue(status, 'Admitted') || queue(draft, observation);
  if (admitted) start(draft, observation);
}
