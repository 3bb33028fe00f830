import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Page, chromium } from 'playwright-core';
import type { StorageState } from '@podwright/api/storage-state';
import { type TestPod, startPod } from '../testing/pod.ts';
import { type TestSite, startSite } from '../testing/site.ts';

// Two browsers are started in the test.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let site: TestSite;
const pods: TestPod[] = [];
beforeAll(async () => {
  site = await startSite((request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<title>${request.headers.cookie ?? 'no cookie'}</title>`);
  });
});
afterAll(async () => {
  for (const pod of pods) await pod.end();
  site.close();
});

async function boundPod(expectProfile: boolean): Promise<TestPod> {
  const pod = await startPod({ floor: { allowInternal: [{ cidr: `${site.address}/32`, ports: [site.port] }] } });
  pods.push(pod);
  expect((await pod.bind({ startUrl: `${site.origin}/start`, expectProfile })).status).toBe(200);
  return pod;
}

async function onFirstPage<Result>(pod: TestPod, work: (page: Page) => Promise<Result>): Promise<Result> {
  const { url, headers } = await pod.cdp();
  const browser = await chromium.connectOverCDP(url, { headers });
  try {
    return await work(browser.contexts()[0]!.pages()[0]!);
  } finally {
    await browser.close();
  }
}

/** Runs in the page: one record of every kind of value a state carries. */
const FILL = `(async () => {
  document.cookie = 'user=anna; max-age=3600';
  localStorage.setItem('theme', 'dark');
  sessionStorage.setItem('cart', '3');
  const db = await new Promise((resolve, reject) => {
    const request = indexedDB.open('app', 3);
    request.onupgradeneeded = () => {
      request.result.createObjectStore('plain', { keyPath: 'id' }).createIndex('byName', 'name', { unique: true });
      request.result.createObjectStore('rich', { autoIncrement: true });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const tx = db.transaction(['plain', 'rich'], 'readwrite');
  tx.objectStore('plain').put({ id: 1, name: 'x' });
  tx.objectStore('rich').put({ at: new Date(0), n: 10n, bytes: new Uint8Array([1, 2]), map: new Map([['k', new Set([1])]]), nothing: undefined, nan: NaN, re: /a/gi }, 'key');
  await new Promise((done) => { tx.oncomplete = done; });
})()`;

const READ = `(async () => {
  const db = await new Promise((resolve, reject) => {
    const request = indexedDB.open('app');
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const get = (store, key) => new Promise((resolve) => {
    const request = db.transaction([store]).objectStore(store).get(key);
    request.onsuccess = () => resolve(request.result);
  });
  const rich = await get('rich', 'key');
  return {
    title: document.title,
    theme: localStorage.getItem('theme'),
    cart: sessionStorage.getItem('cart'),
    version: db.version,
    index: db.transaction(['plain']).objectStore('plain').index('byName').unique,
    plain: await get('plain', 1),
    rich: [rich.at.getTime(), String(rich.n), [...rich.bytes], [...rich.map.get('k')], 'nothing' in rich, Number.isNaN(rich.nan), String(rich.re)],
  };
})()`;

test('a state travels from one browser to the next, and the start page already sees it', async () => {
  const first = await boundPod(false);
  await onFirstPage(first, async (page) => {
    await page.waitForURL(`${site.origin}/start`);
    await page.evaluate(FILL);
  });
  const state = (await (await first.call('GET', '/profile', 'profile')).json()) as StorageState;
  expect(state.cookies).toMatchObject([{ name: 'user', value: 'anna', domain: site.address, sameSite: 'Lax' }]);
  expect(state.origins).toMatchObject([
    {
      origin: site.origin,
      localStorage: [{ name: 'theme', value: 'dark' }],
      sessionStorage: [{ name: 'cart', value: '3' }],
      indexedDB: [{ name: 'app', version: 3 }],
    },
  ]);

  const second = await boundPod(true);
  expect((await second.call('PUT', '/profile', 'profile', { cookies: 'none' })).status).toBe(422);
  expect((await second.call('PUT', '/profile', 'profile', state)).status).toBe(204);
  expect(await second.status()).toMatchObject({ profileLoaded: true });
  const seen = await onFirstPage(second, async (page) => {
    await page.waitForURL(`${site.origin}/start`);
    return page.evaluate(READ);
  });
  expect(seen).toEqual({
    title: 'user=anna',
    theme: 'dark',
    cart: '3',
    version: 3,
    index: true,
    plain: { id: 1, name: 'x' },
    rich: [0, '10', [1, 2], [1], true, true, '/a/gi'],
  });
  // And once more out of the second browser: nothing was lost on the way.
  const again = (await (await second.call('GET', '/profile', 'profile')).json()) as StorageState;
  expect(again.origins).toEqual(state.origins);
});
