import { Value } from 'typebox/value';
import type { Logger } from 'pino';
import { ApiError } from '@podwright/api/errors';
import { type ProfileReport, type StorageOrigin, StorageState } from '@podwright/api/storage-state';
import type { Browser } from '../browser/browser.ts';
import { writeCookies } from './cookies.ts';
import { createHeldOrigins } from './held-origins.ts';
import { type OriginVisitor, borrowPage } from './origin-visitor.ts';
import { restoreInPage } from './restore-in-page.ts';
import { takeSnapshot } from './snapshot.ts';

/** The login state of the browser: put in before its first page, read while it lives, kept when it ends. */
export interface Profile {
  /**
   * Puts a state in and tells what of it the browser did not take; a second time changes nothing.
   * Throws ApiError invalid_request for what is no storage state.
   */
  load(state: unknown): Promise<ProfileReport>;
  /** JSON text of a StorageSnapshot: the state now; after `keep`, the state that was kept. */
  snapshot(): Promise<string>;
  /** Takes the last snapshot, for collection after Chromium is gone. */
  keep(): Promise<void>;
  readonly loaded: boolean;
}

/** The session's start waits for it; what does not go in within this time is kept, and not loaded. */
const LOAD_MS = 15_000;
const ORIGIN_MS = 5_000;

export function createProfile(options: { browser: Browser; now: () => number; log: Logger }): Profile {
  const { browser, now, log } = options;
  const held = createHeldOrigins();
  const readAt = new Map<string, number>();
  let report: ProfileReport | undefined;
  let kept: string | undefined;
  let last: Promise<unknown> = Promise.resolve();

  /** One thing at a time: pages are visited by one visitor only. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  }

  async function restore(visitor: OriginVisitor, origins: readonly StorageOrigin[]): Promise<string[]> {
    const deadline = now() + LOAD_MS;
    let late = 0;
    let failed = 0;
    let parts = 0;
    for (const origin of origins) {
      if (now() >= deadline) {
        late += 1;
        continue;
      }
      const timeoutMs = Math.min(ORIGIN_MS, deadline - now());
      try {
        const left = await visitor.run(origin.origin, restoreInPage.toString(), origin, timeoutMs);
        if (left === undefined) throw new Error('the origin cannot be stood on');
        const { leftEntries, leftDatabases } = left as Awaited<ReturnType<typeof restoreInPage>>;
        parts += leftEntries + leftDatabases;
      } catch {
        // Timers may be a moment early: an origin that had less than its time was cut off.
        if (timeoutMs < ORIGIN_MS) late += 1;
        else failed += 1;
      }
    }
    return [
      ...(late === 0 ? [] : [`storages of ${late} origins, for lack of time`]),
      ...(failed === 0 ? [] : [`storages of ${failed} origins`]),
      ...(parts === 0 ? [] : [`${parts} entries or databases`]),
    ];
  }

  async function load(state: StorageState): Promise<ProfileReport> {
    const { link, pages } = browser.live();
    const refusedCookies = await writeCookies(link, state.cookies);
    const missing = refusedCookies === 0 ? [] : [`${refusedCookies} cookies`];
    // What does not go in is not lost: it is part of every snapshot until its origin is used.
    for (const origin of state.origins) held.put(origin);
    const [first] = pages.attached();
    if (!first) throw new ApiError('browser_unavailable', 'The browser has no page.');
    const filled = state.origins.filter(({ origin }) => held.has(origin));
    if (filled.length > 0) {
      const visitor = await borrowPage(link, first.sessionId);
      try {
        missing.push(...(await restore(visitor, filled)));
      } finally {
        await visitor.close();
      }
      // Those were our own visits: nobody has used anything yet.
      browser.origins.clear();
    }
    log.info({ cookies: state.cookies.length, origins: filled.length, missing }, 'profile loaded');
    return { missing };
  }

  const read = async (): Promise<string> => {
    const { text, missing } = await takeSnapshot({ browser, held, readAt, now });
    log.info({ bytes: text.length, missing }, 'profile read');
    return text;
  };

  return {
    async load(state) {
      if (!Value.Check(StorageState, state)) throw new ApiError('invalid_request', 'This is not a storage state.');
      return inTurn(async () => (report ??= await load(state)));
    },
    snapshot: () => inTurn(async () => kept ?? read()),
    keep: () =>
      inTurn(async () => {
        kept ??= await read();
      }),
    get loaded() {
      return report !== undefined;
    },
  };
}
