import type { StorageOrigin } from '@podwright/api/storage-state';
import type { Browser } from '../browser/browser.ts';
import { type Collected, collectInPage } from './collect-in-page.ts';
import { readCookies } from './cookies.ts';
import type { HeldOrigins } from './held-origins.ts';
import { readOpenPages } from './open-pages.ts';
import { type OriginVisitor, openHiddenVisitor } from './origin-visitor.ts';
import { planReading } from './plan-reading.ts';

/** A snapshot must leave time to be collected: a pod that is told to end has a minute for everything. */
const SNAPSHOT_MS = 15_000;
/** One origin that hangs must not cost all the others. */
const ORIGIN_MS = 5_000;
const DATABASE_MS = 2_500;
const DATABASES_MAX_BYTES = 6 * 1024 * 1024;

/**
 * The state of the browser as JSON text of a StorageSnapshot. What was read counts, whatever happens to the rest: an
 * origin that could not be read in time is named as it was known before, and `missing` says how many there are.
 * A client of CDP that clears the storage of an origin without visiting it is not noticed until the origin is used again.
 */
export async function takeSnapshot(options: {
  browser: Pick<Browser, 'live' | 'origins'>;
  held: HeldOrigins;
  /** Number of the last use that an origin had when it was read. */
  readAt: Map<string, number>;
  now: () => number;
}): Promise<{ text: string; missing: string[] }> {
  const { held, readAt, now } = options;
  const deadline = now() + SNAPSHOT_MS;
  const { link, pages } = options.browser.live();
  // They alone keep most logins, and they are read in one question.
  const { cookies, left: leftCookies } = await readCookies(link);
  const { sessions, frames, silent } = await readOpenPages(link, pages);
  const uses = new Map(options.browser.origins.all());
  const open = new Set([...pages.openOrigins(), ...frames]);
  const { read, order } = planReading({ uses, open, readAt, held: held.names() });
  const lost = { late: 0, unread: 0, databases: 0, records: 0, large: 0 };

  async function readOrigin(visitor: OriginVisitor, origin: string): Promise<void> {
    const limits = { maxBytes: DATABASES_MAX_BYTES, databaseMs: DATABASE_MS };
    const timeoutMs = Math.min(ORIGIN_MS, deadline - now());
    const collected = (await visitor.run(origin, collectInPage.toString(), limits, timeoutMs)) as Collected | undefined;
    if (collected === undefined) throw new Error('the origin cannot be stood on');
    const { localStorage, indexedDB, leftDatabases, leftRecords } = collected;
    const sessionStorage = sessions.get(origin);
    const found: StorageOrigin = {
      origin,
      localStorage,
      ...(sessionStorage ? { sessionStorage } : {}),
      ...(indexedDB.length === 0 ? {} : { indexedDB }),
    };
    let refused = held.put(found);
    if (refused !== undefined && indexedDB.length > 0) {
      // Without its databases it may still keep its login.
      const { indexedDB: _databases, ...rest } = found;
      refused = held.put(rest);
      lost.databases += indexedDB.length;
    }
    if (refused !== undefined) lost.large += 1;
    lost.databases += leftDatabases;
    lost.records += leftRecords;
    readAt.set(origin, uses.get(origin) ?? 0);
  }

  if (read.length > 0) {
    const visitor = await openHiddenVisitor(link).catch(() => undefined);
    for (const origin of read) {
      if (visitor === undefined) lost.unread += 1;
      else if (now() >= deadline) lost.late += 1;
      else {
        await readOrigin(visitor, origin).catch(() => {
          lost[now() >= deadline ? 'late' : 'unread'] += 1;
        });
      }
    }
    await visitor?.close().catch(() => undefined);
  }
  const { text, left } = held.assemble({ cookies, order });
  const missing = [
    ...told(leftCookies, 'cookie'),
    ...told(silent, 'page', 'did not answer'),
    ...told(lost.late, 'origin', 'could not be read in time'),
    ...told(lost.unread, 'origin', 'could not be read'),
    ...told(lost.large + left, 'origin', 'did not fit'),
    ...told(lost.databases, 'database', 'could not be read or did not fit'),
    ...told(lost.records, 'database record', 'cannot be carried'),
  ];
  return { text: `{${text},"missing":${JSON.stringify(missing)}}`, missing };
}

function told(count: number, thing: string, what = 'cannot be carried'): string[] {
  return count === 0 ? [] : [`${count} ${thing}${count === 1 ? '' : 's'} ${what}`];
}
