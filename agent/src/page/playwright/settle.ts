import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { DeadlineError, within } from '../../within.ts';
import { waitUntilQuiet } from './element-in-page.ts';
import type { NavigationWatch } from './navigation-watch.ts';

/** A page needs this long without a change to count as quiet, and gets this long to become so. */
const QUIET = { quietMs: 120, mostMs: 800 };
const QUIET_GRACE_MS = 500;
const FIRST_REACTION_MS = 60;

/**
 * Waits until a page has answered an action: a navigation is followed to its document, then the document may come to
 * rest. Returns false when it was still loading at `deadline` (ms of `now`).
 */
export async function settle(options: {
  page: Page;
  navigation: NavigationWatch;
  deadline: number;
  now: () => number;
  signal: AbortSignal;
}): Promise<boolean> {
  const { page, navigation, deadline, now, signal } = options;
  await delay(FIRST_REACTION_MS, undefined, { signal });
  // A script may redirect as soon as its page is there: look again after every rest.
  for (let round = 0; round < 4; round += 1) {
    while (navigation.pending() && now() < deadline) await delay(25, undefined, { signal });
    if (navigation.pending()) return false;
    try {
      const rest = Math.max(50, deadline - now());
      await within(page.waitForLoadState('domcontentloaded', { timeout: rest }), rest + 50, signal);
      await within(page.evaluate(waitUntilQuiet, QUIET), QUIET.mostMs + QUIET_GRACE_MS, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isTimeout(error)) return false;
      // A page that does not even say that it is restless has had its time.
      if (error instanceof DeadlineError) return now() < deadline;
      if (page.isClosed()) return true;
      // The document was replaced while it was watched.
    }
    if (!navigation.pending()) return true;
  }
  return false;
}

export const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';
