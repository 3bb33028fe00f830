import type { BrowserProfile } from '@podwright/api/kinds/profile';
import { type BrowserSession, TERMINAL_PHASES } from '@podwright/api/kinds/session';

/**
 * How it stands with the writer of a profile. `gone`: the session that holds it has ended or does not exist, and it will
 * be released. `ending`: it is on its way there, and saves what it has. `alive`: it works with it.
 */
export type HolderState = 'none' | 'alive' | 'ending' | 'gone';

export function holderState(
  profile: BrowserProfile,
  sessions: { getByUid(uid: string): BrowserSession | undefined },
): HolderState {
  const holder = profile.status?.holder;
  if (!holder) return 'none';
  const session = sessions.getByUid(holder.sessionUID);
  if (!session) return 'gone';
  const { phase, stoppingAt } = session.status ?? {};
  if (phase !== undefined && TERMINAL_PHASES.has(phase)) return 'gone';
  const asked = session.spec.stop !== undefined || session.metadata.deletionTimestamp !== undefined;
  return asked || stoppingAt !== undefined ? 'ending' : 'alive';
}

/** True for a session that wants to write a profile that another session holds. */
export function isProfileTaken(session: BrowserSession, profile: BrowserProfile | undefined): boolean {
  const { profileRef } = session.spec;
  if (!profileRef || profileRef.mode === 'ReadOnly') return false;
  const holder = profile?.status?.holder;
  return holder !== undefined && holder.sessionUID !== session.metadata.uid;
}

export const holderWords = (profile: BrowserProfile): string =>
  `profile ${profile.metadata.name} is held by session ${profile.status?.holder?.sessionName ?? '(nobody)'}`;
