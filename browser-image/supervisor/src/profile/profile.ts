import { Value } from 'typebox/value';
import type { Logger } from 'pino';
import { ApiError } from '@podwright/api/errors';
import { StorageOrigin, StorageState } from '@podwright/api/storage-state';
import type { Browser } from '../browser/browser.ts';
import { readCookies, writeCookies } from './cookies.ts';
import { collectInPage, collectSessionStorage, restoreInPage, restoreSessionStorage } from './in-page.ts';
import { openOriginVisitor } from './origin-visitor.ts';

/** The login state of the browser: put in before its first page, read while it lives, kept when it ends. */
export interface Profile {
  /** Throws ApiError invalid_request for what is no storage state. */
  load(state: unknown): Promise<void>;
  /** The state now; after `keep`, the state that was kept. */
  snapshot(): Promise<StorageState>;
  /** Takes the last snapshot, for collection after Chromium is gone. */
  keep(): Promise<void>;
  readonly loaded: boolean;
}

/** A snapshot must leave time to be collected. */
const SNAPSHOT_MS = 20_000;

export function createProfile(options: { browser: Browser; now: () => number; log: Logger }): Profile {
  const { browser, now, log } = options;
  const loadedOrigins = new Set<string>();
  let loaded = false;
  let kept: StorageState | undefined;

  async function load(state: unknown): Promise<void> {
    if (!Value.Check(StorageState, state)) throw new ApiError('invalid_request', 'This is not a storage state.');
    const { link, pages } = browser.live();
    const refusedCookies = await writeCookies(link, state.cookies);
    const visitor = await openOriginVisitor(link);
    let failedOrigins = 0;
    try {
      for (const origin of state.origins) {
        loadedOrigins.add(origin.origin);
        if (origin.localStorage.length === 0 && (origin.indexedDB ?? []).length === 0) continue;
        await visitor.run(origin.origin, restoreInPage.toString(), origin).catch(() => {
          failedOrigins += 1;
        });
      }
    } finally {
      await visitor.close();
    }
    const sessions = Object.fromEntries(
      state.origins.flatMap(({ origin, sessionStorage }) => (sessionStorage ? [[origin, sessionStorage]] : [])),
    );
    const [first] = pages.attached();
    if (first && Object.keys(sessions).length > 0) {
      await link.send('Page.enable', {}, first.sessionId);
      await link.send(
        'Page.addScriptToEvaluateOnNewDocument',
        { source: `(${restoreSessionStorage.toString()})(${JSON.stringify(sessions)})` },
        first.sessionId,
      );
    }
    loaded = true;
    log.info(
      { cookies: state.cookies.length, origins: state.origins.length, refusedCookies, failedOrigins },
      'profile loaded',
    );
  }

  async function readSessions(): Promise<Map<string, StorageOrigin['sessionStorage']>> {
    const { link, pages } = browser.live();
    const sessions = new Map<string, StorageOrigin['sessionStorage']>();
    for (const { sessionId, url } of pages.attached()) {
      if (!/^https?:/.test(url)) continue;
      const { result } = await link.send<{ result: { value?: unknown } }>(
        'Runtime.evaluate',
        { expression: `(${collectSessionStorage.toString()})()`, returnByValue: true },
        sessionId,
      );
      const { origin, entries } = (result.value ?? {}) as Partial<ReturnType<typeof collectSessionStorage>>;
      if (origin !== undefined && entries && entries.length > 0) sessions.set(origin, entries);
    }
    return sessions;
  }

  async function read(): Promise<StorageState> {
    const deadline = now() + SNAPSHOT_MS;
    const { link, pages } = browser.live();
    const cookies = await readCookies(link);
    const sessions = await readSessions().catch(() => new Map<string, StorageOrigin['sessionStorage']>());
    const visitor = await openOriginVisitor(link);
    const origins: StorageOrigin[] = [];
    try {
      for (const origin of new Set([...loadedOrigins, ...pages.origins()])) {
        if (now() > deadline) throw new Error('the storage of the pages could not be read in time');
        const collected = await visitor.run(origin, collectInPage.toString()).catch(() => undefined);
        const sessionStorage = sessions.get(origin);
        const found = {
          origin,
          localStorage: [],
          ...(collected as object),
          ...(sessionStorage ? { sessionStorage } : {}),
        };
        // A page wrote this: what does not have the shape is not carried.
        if (Value.Check(StorageOrigin, found) && holdsSomething(found)) origins.push(found);
      }
    } finally {
      await visitor.close().catch(() => undefined);
    }
    return { cookies, origins };
  }

  return {
    load,
    async snapshot() {
      return kept ?? read();
    },
    async keep() {
      kept ??= await read();
    },
    get loaded() {
      return loaded;
    },
  };
}

const holdsSomething = ({ localStorage, sessionStorage, indexedDB }: StorageOrigin): boolean =>
  localStorage.length > 0 || (sessionStorage ?? []).length > 0 || (indexedDB ?? []).length > 0;
