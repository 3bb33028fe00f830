import { type Page, chromium } from 'playwright-core';
import type { StorageSnapshot } from '@podwright/api/storage-state';
import type { TestPod } from './pod.ts';

/** Works on the first page of a pod through its CDP door, as a client does. */
export async function onFirstPage<Result>(pod: TestPod, work: (page: Page) => Promise<Result>): Promise<Result> {
  const { url, headers } = await pod.cdp();
  const browser = await chromium.connectOverCDP(url, { headers });
  try {
    return await work(browser.contexts()[0]!.pages()[0]!);
  } finally {
    await browser.close();
  }
}

export async function snapshotOf(pod: TestPod): Promise<StorageSnapshot> {
  const answer = await pod.call('GET', '/profile', 'profile');
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  return (await answer.json()) as StorageSnapshot;
}

/** Runs in the page: one record of every kind of value a state carries, in several stores with several indexes. */
export const FILL = `(async () => {
  document.cookie = 'user=anna; max-age=3600';
  localStorage.setItem('theme', 'dark');
  sessionStorage.setItem('cart', '3');
  const db = await new Promise((resolve, reject) => {
    const request = indexedDB.open('app', 3);
    request.onupgradeneeded = () => {
      const plain = request.result.createObjectStore('plain', { keyPath: 'id' });
      plain.createIndex('byName', 'name', { unique: true });
      plain.createIndex('byTags', 'tags', { multiEntry: true });
      plain.createIndex('byBoth', ['name', 'id']);
      request.result.createObjectStore('rich', { autoIncrement: true });
      request.result.createObjectStore('compound', { keyPath: ['a', 'b.c'] });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const tx = db.transaction(['plain', 'rich', 'compound'], 'readwrite');
  tx.objectStore('plain').put({ id: 1, name: 'x', tags: ['red', 'blue'] });
  const shared = { deep: [1, [2, { three: 3 }]] };
  tx.objectStore('rich').put({
    at: new Date(0), n: 10n, bytes: new Uint8Array([1, 2]), buffer: new Float64Array([0.5]).buffer,
    map: new Map([['k', new Set([1])]]), nothing: undefined, nan: NaN, zero: -0, re: /a/gi,
    error: new RangeError('far'), one: shared, two: shared,
  }, 'key');
  tx.objectStore('rich').put('by a date', new Date(5));
  tx.objectStore('rich').put('by bytes', new Uint8Array([9]));
  tx.objectStore('compound').put({ a: 1, b: { c: 'two' }, value: true });
  await new Promise((done) => { tx.oncomplete = done; });
  const other = await new Promise((resolve) => {
    const request = indexedDB.open('empty', 1);
    request.onsuccess = () => resolve(request.result);
  });
  other.close();
  db.close();
})()`;

export const READ = `(async () => {
  const open = (name) => new Promise((resolve, reject) => {
    const request = indexedDB.open(name);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const db = await open('app');
  const ask = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const store = (name) => db.transaction([name]).objectStore(name);
  const rich = await ask(store('rich').get('key'));
  return {
    title: document.title,
    theme: localStorage.getItem('theme'),
    cart: sessionStorage.getItem('cart'),
    version: db.version,
    databases: (await indexedDB.databases()).map(({ name }) => name).sort(),
    indexes: [...store('plain').indexNames].map((name) => {
      const { unique, multiEntry, keyPath } = store('plain').index(name);
      return [name, unique, multiEntry, keyPath];
    }),
    byTag: (await ask(store('plain').index('byTags').get('blue'))).id,
    plain: await ask(store('plain').get(1)),
    byDate: await ask(store('rich').get(new Date(5))),
    byBytes: await ask(store('rich').get(new Uint8Array([9]))),
    compound: await ask(store('compound').get([1, 'two'])),
    rich: [rich.at.getTime(), String(rich.n), [...rich.bytes], new Float64Array(rich.buffer)[0], [...rich.map.get('k')],
      'nothing' in rich, Number.isNaN(rich.nan), Object.is(rich.zero, -0), String(rich.re),
      rich.error instanceof RangeError && rich.error.message, rich.one === rich.two, rich.one.deep[1][1].three],
  };
})()`;

/** What READ finds where FILL was run, and where it was restored. */
export const FILLED = {
  theme: 'dark',
  cart: '3',
  version: 3,
  databases: ['app', 'empty'],
  indexes: [
    ['byBoth', false, false, ['name', 'id']],
    ['byName', true, false, 'name'],
    ['byTags', false, true, 'tags'],
  ],
  byTag: 1,
  plain: { id: 1, name: 'x', tags: ['red', 'blue'] },
  byDate: 'by a date',
  byBytes: 'by bytes',
  compound: { a: 1, b: { c: 'two' }, value: true },
  rich: [0, '10', [1, 2], 0.5, [1], true, true, true, '/a/gi', 'far', true, 3],
};
