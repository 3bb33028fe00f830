import { TERMINAL_PHASES } from '@podwright/api/kinds/session';
import { type Plan, isTrue, startDraft } from './draft.ts';
import { endingOf } from './ending.ts';
import type { Observation } from './observation.ts';
import { queue } from './queueing.ts';
import { start } from './starting.ts';
import { finish, stop } from './stopping.ts';

/** What is to become of one session now. Pure: the same observation gives the same plan. */
export function decide(observation: Observation): Plan {
  const draft = startDraft(observation);
  const { status } = observation.session;
  if (status?.phase !== undefined && TERMINAL_PHASES.has(status.phase)) {
    finish(draft, observation);
    return draft;
  }
  const ending = endingOf(observation);
  if (ending) {
    stop(draft, observation, ending);
    return draft;
  }
  const admitted = isTrue(status, 'Admitted') || queue(draft, observation);
  if (admitted) start(draft, observation);
  return draft;
}
