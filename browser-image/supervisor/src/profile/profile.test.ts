import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { StorageSnapshot, StorageState } from '@podwright/api/storage-state';
import { type TestPod, startPod } from '../testing/pod.ts';
import { FILL, FILLED, READ, onFirstPage, snapshotOf } from '../testing/profile-pages.ts';
import { type TestSite, startSite } from '../testing/site.ts';

const LOGIN_COOKIES = [
  'session=s; HttpOnly',
  'strict=1; SameSite=Strict; Max-Age=900',
  'lax=1; SameSite=Lax; Max-Age=900; Path=/login',
];
const HANG = `
  document.cookie = 'user=anna; max-age=3600';
  setTimeout(() => { for (;;); }, 100);
`;
/** Nine megabytes, and a file. */
const FILL_LARGE = `(async () => {
  for (const name of ['large', 'files']) {
    const open = indexedDB.open(name, 1);
    await new Promise((done) => {
      open.onupgradeneeded = () => open.result.createObjectStore('s', { autoIncrement: true });
      open.onsuccess = done;
    });
    const transaction = open.result.transaction('s', 'readwrite');
    if (name === 'files') transaction.objectStore('s').put(new Blob(['a file']));
    else for (let at = 0; at < 9; at += 1) transaction.objectStore('s').put('x'.repeat(1_000_000));
    await new Promise((done) => { transaction.oncomplete = done; });
    open.result.close();
  }
})()`;
const UPGRADE = `(async () => {
  for (let version = 4; version < 12; version += 1) {
    const open = indexedDB.open('app', version);
    await new Promise((done, failed) => {
      open.onsuccess = done;
      open.onerror = () => failed(open.error);
    });
    open.result.close();
  }
  return 'upgraded';
})()`;

// Parts of the pages that functions below run in.
declare const localStorage: Record<string, string> & { setItem(name: string, value: string): void; clear(): void };
declare const sessionStorage: typeof localStorage & { length: number };

// Each test starts up to two browsers.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let sites: TestSite[];
let site: TestSite;
let other: TestSite;
let pods: TestPod[];

const html = (response: ServerResponse, text: string, cookies: string[] = []): void => {
  response.setHeader('content-type', 'text/html');
  if (cookies.length > 0) response.setHeader('set-cookie', cookies);
  response.end(text);
};

beforeEach(async () => {
  pods = [];
  site = await startSite((request, response) =>
    html(response, `<title>${request.headers.cookie ?? 'no cookie'}</title>`),
  );
  other = await startSite((_request, response) => html(response, '<title>other</title>'));
  sites = [site, other];
});
afterEach(async () => {
  for (const pod of pods) await pod.end();
  for (const one of sites) one.close();
});

async function boundPod(expectProfile = false): Promise<TestPod> {
  const pod = await startPod({
    floor: { allowInternal: sites.map(({ address, port }) => ({ cidr: `${address}/32`, ports: [port] })) },
    chromiumArgs: ['--ignore-certificate-errors'],
  });
  pods.push(pod);
  expect((await pod.bind({ startUrl: `${site.origin}/start`, expectProfile })).status).toBe(200);
  return pod;
}

async function podWith(state: StorageState): Promise<TestPod> {
  const pod = await boundPod(true);
  const answer = await pod.call('PUT', '/profile', 'profile', state);
  expect({ status: answer.status, body: await answer.json() }).toEqual({ status: 200, body: { missing: [] } });
  return pod;
}

const withoutMissing = ({ cookies, origins }: StorageSnapshot): StorageState => ({ cookies, origins });
const originsOf = (state: StorageState): string[] => state.origins.map(({ origin }) => origin);

describe('a state travels from one browser to the next', () => {
  test('with storages and databases of several origins, and the start page already sees it', async () => {
    const first = await boundPod();
    await onFirstPage(first, async (page) => {
      await page.goto(`${other.origin}/`);
      await page.evaluate(() => localStorage.setItem('of', 'the other'));
      await page.goto(`${site.origin}/start`);
      await page.evaluate(FILL);
    });
    const state = await snapshotOf(first);
    expect(state.missing).toEqual([]);
    expect(originsOf(state)).toEqual([site.origin, other.origin]);

    const second = await boundPod(true);
    expect((await second.call('PUT', '/profile', 'profile', { cookies: 'none' })).status).toBe(422);
    expect((await second.call('PUT', '/profile', 'profile', withoutMissing(state))).status).toBe(200);
    // An answer that was lost is asked for again: nothing happens twice.
    expect((await second.call('PUT', '/profile', 'profile', { cookies: [], origins: [] })).status).toBe(200);
    expect(await second.status()).toMatchObject({ profileLoaded: true });
    await onFirstPage(second, async (page) => {
      await page.waitForURL(`${site.origin}/start`);
      expect(await page.evaluate(READ)).toEqual({ title: 'user=anna', ...FILLED });
      expect(await page.evaluate('history.length')).toBeLessThanOrEqual(2);
    });
    const again = await snapshotOf(second);
    expect(again).toEqual(state);
  });

  test('with cookies of every kind: HttpOnly, SameSite, of the session, and partitioned by the site on top', async () => {
    let embeddedCookies: (string | undefined)[] = [];
    // A site of its own, for which the one on top is another.
    const embedded = await startSite(
      (request, response) => {
        embeddedCookies.push(request.headers.cookie);
        const sets = request.url === '/set';
        html(
          response,
          '<title>embedded</title>',
          sets ? ['chips=1; Secure; HttpOnly; SameSite=None; Partitioned'] : [],
        );
      },
      { address: '10.203.113.2', tls: true },
    );
    const top = await startSite(
      (request, response) => {
        const frame = request.url?.replace(/^\/embed/, '');
        if (request.url?.startsWith('/embed'))
          return html(response, `<iframe src="${embedded.origin}${frame}"></iframe>`);
        const cookies = request.url === '/login' ? LOGIN_COOKIES : [];
        return html(response, `<title>${request.headers.cookie ?? 'no cookie'}</title>`, cookies);
      },
      { tls: true },
    );
    sites.push(embedded, top);
    const first = await boundPod();
    await onFirstPage(first, async (page) => {
      await page.goto(`${top.origin}/login`);
      await page.goto(`${top.origin}/embed/set`);
    });
    const state = await snapshotOf(first);
    const cookie = (name: string) => state.cookies.find((one) => one.name === name);
    expect(cookie('session')).toMatchObject({ httpOnly: true, expires: -1, sameSite: 'Lax' });
    expect(cookie('strict')).toMatchObject({ httpOnly: false, sameSite: 'Strict' });
    expect(cookie('lax')).toMatchObject({ path: '/login' });
    expect(cookie('chips')).toMatchObject({
      secure: true,
      sameSite: 'None',
      partitionKey: `https://${top.address}`,
      _crHasCrossSiteAncestor: true,
    });

    const second = await podWith(withoutMissing(state));
    embeddedCookies = [];
    await onFirstPage(second, async (page) => {
      await page.goto(`${top.origin}/login`);
      expect((await page.title()).split('; ').toSorted()).toEqual(['lax=1', 'session=s', 'strict=1']);
      await page.goto(`${top.origin}/embed/`);
    });
    expect(embeddedCookies).toEqual(['chips=1']);
  });

  test('and a login that was given up there is not brought back', async () => {
    const state: StorageState = {
      cookies: [],
      origins: [
        {
          origin: site.origin,
          localStorage: [{ name: 'token', value: 'x' }],
          sessionStorage: [{ name: 'token', value: 'x' }],
        },
      ],
    };
    const pod = await podWith(state);
    await onFirstPage(pod, async (page) => {
      await page.waitForURL(`${site.origin}/start`);
      expect(await page.evaluate(() => [localStorage['token'], sessionStorage['token']])).toEqual(['x', 'x']);
      await page.evaluate(() => {
        localStorage.clear();
        sessionStorage.clear();
      });
      await page.goto(`${site.origin}/`);
      expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    });
    expect(await snapshotOf(pod)).toEqual({ cookies: [], origins: [], missing: [] });
  });

  test("and between this and Playwright's own storage state, both ways", async () => {
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
    try {
      const theirs = await browser.newContext();
      const page = await theirs.newPage();
      await page.goto(`${site.origin}/start`);
      await page.evaluate(FILL);
      const state = await theirs.storageState({ indexedDB: true });
      const pod = await podWith(state);
      await onFirstPage(pod, async (first) => {
        await first.waitForURL(`${site.origin}/start`);
        expect(await first.evaluate(READ)).toEqual({ title: 'user=anna', ...FILLED, cart: null });
      });

      const { cookies, origins } = await snapshotOf(pod);
      const storageState = { cookies, origins: origins.map((origin) => ({ indexedDB: [], ...origin })) };
      const back = await browser.newContext({ storageState });
      const last = await back.newPage();
      await last.goto(`${site.origin}/start`);
      expect(await last.evaluate(READ)).toEqual({ title: 'user=anna', ...FILLED, cart: null });
    } finally {
      await browser.close();
    }
  });
});

describe('a snapshot', () => {
  test('names origins that were not used as they were loaded, at once and without a visit, the last used ones first', async () => {
    const origins = Array.from({ length: 1000 }, (_, at) => ({
      origin: `https://o${at}.example.com`,
      localStorage: [{ name: 'n', value: String(at) }],
    }));
    const pod = await boundPod(true);
    const loading = await pod.call('PUT', '/profile', 'profile', { cookies: [], origins });
    // A start that would take minutes is cut off, and what was not put in is not lost.
    const { missing } = (await loading.json()) as { missing: string[] };
    expect(missing).toContainEqual(expect.stringMatching(/storages of \d+ origins, for lack of time/));
    await onFirstPage(pod, async (page) => {
      await page.waitForURL(`${site.origin}/start`);
      await page.evaluate(() => localStorage.setItem('here', '1'));
    });
    const began = Date.now();
    const state = await snapshotOf(pod);
    expect(Date.now() - began).toBeLessThan(10_000);
    expect(originsOf(state)).toEqual([site.origin, ...origins.map(({ origin }) => origin)]);
  });

  test('keeps cookies and the other origins when a page hangs, and says that it did', async () => {
    const pod = await boundPod();
    await onFirstPage(pod, async (page) => {
      await page.goto(`${other.origin}/`);
      await page.evaluate(() => localStorage.setItem('of', 'the other'));
      await page.goto(`${site.origin}/start`);
      await page.evaluate(HANG);
    });
    await delay(500);
    const state = await snapshotOf(pod);
    expect(state.missing).toContain('1 page did not answer');
    expect(state.cookies).toMatchObject([{ name: 'user' }]);
    expect(originsOf(state)).toContain(other.origin);
  });

  test('leaves out a database that is too large, and what cannot be carried, and says so', async () => {
    const pod = await boundPod();
    await onFirstPage(pod, async (page) => {
      await page.waitForURL(`${site.origin}/start`);
      await page.evaluate(FILL);
      await page.evaluate(FILL_LARGE);
    });
    const state = await snapshotOf(pod);
    expect(state.missing).toEqual([
      '1 database could not be read or did not fit',
      '1 database record cannot be carried',
    ]);
    expect(state.origins[0]?.indexedDB?.map(({ name }) => name).toSorted()).toEqual(['app', 'empty', 'files']);
  });

  test('is not seen by a client of CDP, and does not stand in the way of a page that upgrades its database', async () => {
    const pod = await boundPod();
    await onFirstPage(pod, async (page) => {
      await page.waitForURL(`${site.origin}/start`);
      await page.evaluate(FILL);
      const pages: string[] = [];
      page.context().on('page', (opened) => pages.push(opened.url()));
      const reading = snapshotOf(pod);
      const upgraded = page.evaluate(UPGRADE);
      expect(await upgraded).toBe('upgraded');
      await reading;
      expect(pages).toEqual([]);
    });
  });
});
