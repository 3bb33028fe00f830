import type { BrowserProfile } from '@podwright/api/kinds/profile';

/** What this process did for a holder, by the UID of its session. */
export interface Attempt {
  /** Milliseconds since the epoch. */
  at: number;
  failures: number;
}

const LONGEST_PAUSE_MS = 60_000;
const FIRST_PAUSE_MS = 5_000;

/**
 * Profiles that are to be pulled now: held, and not written back for `everyMs`. The longest overdue come first. A pull
 * that failed is tried again sooner than the period, and ever later while it goes on failing.
 */
export function decideSaves(observation: {
  profiles: readonly BrowserProfile[];
  attempts: ReadonlyMap<string, Attempt>;
  everyMs: number;
  now: number;
}): BrowserProfile[] {
  const { attempts, everyMs, now } = observation;
  const dueAt = (profile: BrowserProfile): number => {
    const { holder, lastSavedAt } = profile.status ?? {};
    if (!holder || profile.metadata.deletionTimestamp !== undefined) return Number.POSITIVE_INFINITY;
    const since = Date.parse(holder.since);
    // What an earlier holder saved says nothing of this one.
    const saved = lastSavedAt === undefined ? since : Math.max(since, Date.parse(lastSavedAt));
    const attempt = attempts.get(holder.sessionUID);
    if (!attempt) return saved + everyMs;
    if (attempt.failures === 0) return Math.max(saved, attempt.at) + everyMs;
    const pause = Math.min(everyMs, LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt.failures - 1));
    return Math.max(saved + everyMs, attempt.at + pause);
  };
  return observation.profiles
    .map((profile) => ({ profile, due: dueAt(profile) }))
    .filter(({ due }) => due <= now)
    .toSorted((a, b) => a.due - b.due)
    .map(({ profile }) => profile);
}
