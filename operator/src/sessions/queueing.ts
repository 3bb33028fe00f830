import { parseDuration } from '@podwright/api/duration';
import type { BrowserSession } from '@podwright/api/kinds/session';
import { holderWords, isProfileTaken } from '../profiles/holder.ts';
import { type Draft, lookAgain, setCondition, setPhase } from './draft.ts';
import { durationCut } from './limits.ts';
import type { Observation } from './observation.ts';
import { validate } from './validate.ts';

/** Places behind this one are written at most every 30 s: one departure would else rewrite every session that waits. */
const EXACT_POSITIONS = 20;
const COARSE_MS = 30_000;

/** A session without a place. Returns true when it has just got one. */
export function queue(draft: Draft, observation: Observation): boolean {
  const { session, now, verdict, tenant, pool, profile } = observation;
  const { status } = draft;
  if (tenant) status.tenant = tenant.metadata.name;
  if (pool) status.poolName = pool.metadata.name;
  const validity = validate(observation);
  if (validity.state === 'missing') {
    setPhase(draft, 'Queued', validity.failure.reason, validity.failure.message);
    setCondition(draft, now, 'Admitted', 'False', validity.failure.reason, validity.failure.message);
    lookAgain(draft, validity.until);
    return false;
  }
  if (profile && isProfileTaken(session, profile)) {
    // It takes no place while it could do nothing with it; the profile's release brings the next look.
    const words = `${holderWords(profile)}; it waits for its turn`;
    setPhase(draft, 'Queued', 'ProfileInUse', words);
    setCondition(draft, now, 'Admitted', 'False', 'ProfileInUse', words);
    waitAtMost(draft, session);
    return false;
  }
  if (verdict?.state === 'admitted') {
    delete status.queuePosition;
    const cut = pool && durationCut(session, pool, tenant);
    const words = cut === undefined ? 'the tenant has room' : `the tenant has room; ${cut}`;
    setCondition(draft, now, 'Admitted', 'True', 'Admitted', words);
    return true;
  }
  if (verdict?.state !== 'waiting') return false;
  setPhase(draft, 'Queued', verdict.reason, verdict.message);
  setCondition(draft, now, 'Admitted', 'False', verdict.reason, verdict.message);
  const known = session.status?.queuePosition;
  const spread = Date.parse(session.metadata.creationTimestamp) % COARSE_MS;
  if (verdict.position <= EXACT_POSITIONS || known === undefined || (now - spread) % COARSE_MS < 1_000) {
    status.queuePosition = verdict.position;
  } else {
    lookAgain(draft, now + COARSE_MS - ((now - spread) % COARSE_MS));
  }
  if (verdict.until !== undefined) lookAgain(draft, verdict.until);
  waitAtMost(draft, session);
  return false;
}

function waitAtMost(draft: Draft, { spec, metadata }: BrowserSession): void {
  const wait = spec.lifetime?.maxQueueWait;
  if (wait !== undefined) lookAgain(draft, Date.parse(metadata.creationTimestamp) + parseDuration(wait));
}
