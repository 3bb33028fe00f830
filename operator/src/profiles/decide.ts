import type { BrowserProfile } from '@podwright/api/kinds/profile';
import { FINALIZER } from '@podwright/api/names';
import type { HolderState } from './holder.ts';

export type ProfilePlan =
  | { do: 'nothing'; at?: number }
  | { do: 'addFinalizer'; at?: number }
  | { do: 'release'; at?: number }
  /** `letGo`: even when the bytes could not be deleted; then a tombstone is left for the keeper. */
  | { do: 'deleteBytes'; letGo: boolean; at?: number };

const LET_GO_MS = 300_000;
/** A holder that was claimed a moment ago may not be in the cache of sessions yet. */
const CLAIM_GRACE_MS = 30_000;

/** What becomes of a profile object: its bytes outlive no object, and no holder outlives its session. */
export function decideProfile(observation: { profile: BrowserProfile; holder: HolderState; now: number }): ProfilePlan {
  const { profile, holder, now } = observation;
  const hasFinalizer = profile.metadata.finalizers?.includes(FINALIZER) ?? false;
  const { deletionTimestamp } = profile.metadata;
  if (deletionTimestamp !== undefined) {
    // A session that still works with it saves into nothing; its end is awaited, but not for ever.
    const letGo = now >= Date.parse(deletionTimestamp) + LET_GO_MS;
    if (!hasFinalizer) return { do: 'nothing' };
    if ((holder === 'alive' || holder === 'ending') && !letGo)
      return { do: 'nothing', at: Date.parse(deletionTimestamp) + LET_GO_MS };
    return { do: 'deleteBytes', letGo };
  }
  if (!hasFinalizer) return { do: 'addFinalizer' };
  if (holder !== 'gone') return { do: 'nothing' };
  const dueAt = Date.parse(profile.status?.holder?.since ?? '') + CLAIM_GRACE_MS;
  return now < dueAt ? { do: 'nothing', at: dueAt } : { do: 'release' };
}
