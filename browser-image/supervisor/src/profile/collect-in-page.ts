import type { StorageOrigin } from '@podwright/api/storage-state';
import type { OpenRequest, Page, Request, Store } from './page-globals.ts';

type Databases = NonNullable<StorageOrigin['indexedDB']>;

/** What was found, and how much of it could not be taken along. */
export interface Collected {
  localStorage: StorageOrigin['localStorage'];
  indexedDB: Databases;
  /** Databases that are too large, busy or broken. */
  leftDatabases: number;
  /** Records with values that cannot be carried: keys of WebCrypto, files. */
  leftRecords: number;
}

/**
 * Reads localStorage and IndexedDB of the origin it runs in. Sent as text into a blank page, so it holds everything it
 * needs. Values that JSON cannot hold are written in Playwright's tagged form, so that states can be carried between both.
 * `maxBytes` of databases are read, about, and none waits longer than `databaseMs`.
 */
export async function collectInPage(limits: { maxBytes: number; databaseMs: number }): Promise<Collected> {
  const page = globalThis as unknown as Page;
  let bytesLeft = limits.maxBytes;
  let leftRecords = 0;
  const settled = <Result>(request: Request<Result>): Promise<Result> =>
    new Promise((resolve, reject) => {
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error));
    });

  const plain = (value: unknown): boolean => {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
    if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
    if (Array.isArray(value)) return value.every((item) => plain(item));
    if (typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return false;
    return Object.values(value).every((item) => plain(item));
  };
  const base64 = (bytes: Uint8Array): string => {
    let text = '';
    for (const byte of bytes) text += String.fromCodePoint(byte);
    return page.btoa(text);
  };
  const arrayKinds: [new (buffer: ArrayBuffer) => object, string][] = [
    [Int8Array, 'i8'],
    [Uint8ClampedArray, 'ui8c'],
    [Uint8Array, 'ui8'],
    [Int16Array, 'i16'],
    [Uint16Array, 'ui16'],
    [Int32Array, 'i32'],
    [Uint32Array, 'ui32'],
    [Float32Array, 'f32'],
    [Float64Array, 'f64'],
    [BigInt64Array, 'bi64'],
    [BigUint64Array, 'bui64'],
  ];
  const encode = (value: unknown, seen: Map<object, number>): unknown => {
    if (value === undefined) return { v: 'undefined' };
    if (value === null) return { v: 'null' };
    if (typeof value === 'number') {
      if (Object.is(value, -0)) return { v: '-0' };
      return Number.isFinite(value) ? value : { v: String(value) };
    }
    if (typeof value === 'bigint') return { bi: value.toString() };
    if (typeof value !== 'object') return value;
    const known = seen.get(value);
    if (known !== undefined) return { ref: known };
    if (value instanceof Date) return { d: value.toJSON() };
    if (value instanceof RegExp) return { r: { p: value.source, f: value.flags } };
    if (value instanceof Error) return { e: { n: value.name, m: value.message, s: value.stack ?? '' } };
    if (value instanceof ArrayBuffer) return { ab: { b: base64(new Uint8Array(value)) } };
    if (ArrayBuffer.isView(value)) {
      const kind = arrayKinds.find(([constructor]) => value instanceof constructor)?.[1];
      if (kind === undefined) throw new TypeError('not carried');
      return { ta: { b: base64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)), k: kind } };
    }
    const id = seen.size + 1;
    seen.set(value, id);
    if (Array.isArray(value)) return { a: value.map((item) => encode(item, seen)), id };
    if (value instanceof Map) {
      return { m: [...value].map(([k, v]) => ({ k: encode(k, seen), v: encode(v, seen) })), id };
    }
    if (value instanceof Set) return { s: [...value].map((item) => encode(item, seen)), id };
    if (Object.getPrototypeOf(value) !== Object.prototype) throw new TypeError('not carried');
    return { o: Object.entries(value).map(([k, v]) => ({ k, v: encode(v, seen) })), id };
  };
  const carried = (name: 'key' | 'value', value: unknown): Record<string, unknown> =>
    plain(value) ? { [name]: value } : { [`${name}Encoded`]: encode(value, new Map()) };

  const path = (keyPath: string | string[] | null): { keyPath?: string; keyPathArray?: string[] } => {
    if (keyPath === null) return {};
    return typeof keyPath === 'string' ? { keyPath } : { keyPathArray: [...keyPath] };
  };
  const readStore = async (store: Store): Promise<Databases[number]['stores'][number]> => {
    const records: Record<string, unknown>[] = [];
    for (const key of await settled(store.getAllKeys())) {
      const value = await settled(store.get(key));
      let record: Record<string, unknown>;
      try {
        record = { ...(store.keyPath === null ? carried('key', key) : {}), ...carried('value', value) };
      } catch {
        leftRecords += 1;
        continue;
      }
      bytesLeft -= JSON.stringify(record).length;
      if (bytesLeft < 0) throw new RangeError('too large');
      records.push(record);
    }
    const indexes = Array.from(store.indexNames, (name) => store.index(name)).map((index) => ({
      name: index.name,
      ...path(index.keyPath),
      multiEntry: index.multiEntry,
      unique: index.unique,
    }));
    return { name: store.name, autoIncrement: store.autoIncrement, ...path(store.keyPath), indexes, records };
  };
  const readDatabase = async (name: string, request: OpenRequest): Promise<Databases[number]> => {
    // It was deleted since it was listed: opening must not bring an empty one into being.
    request.addEventListener('upgradeneeded', () => request.transaction?.abort());
    const database = await settled(request);
    // The site itself goes first when it wants another version.
    database.addEventListener('versionchange', () => database.close());
    try {
      const names = Array.from(database.objectStoreNames);
      const stores: Databases[number]['stores'] = [];
      if (names.length > 0) {
        const transaction = database.transaction(names);
        for (const store of names) stores.push(await readStore(transaction.objectStore(store)));
      }
      return { name, version: database.version, stores };
    } finally {
      database.close();
    }
  };

  const indexedDB: Databases = [];
  let leftDatabases = 0;
  for (const { name } of await page.indexedDB.databases()) {
    if (name === undefined) continue;
    const before = bytesLeft;
    try {
      const late = new Promise<never>((_, reject) => {
        page.setTimeout(() => reject(new Error('busy')), limits.databaseMs);
      });
      indexedDB.push(await Promise.race([readDatabase(name, page.indexedDB.open(name)), late]));
    } catch {
      // Half a database would break its site more surely than none.
      leftDatabases += 1;
      bytesLeft = before;
    }
  }
  const { localStorage } = page;
  const names = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? '');
  return {
    localStorage: names.map((name) => ({ name, value: localStorage.getItem(name) ?? '' })),
    indexedDB,
    leftDatabases,
    leftRecords,
  };
}

/** Reads sessionStorage of the document it runs in. */
export function collectSessionStorage(): { origin: string; entries: { name: string; value: string }[] } {
  const { sessionStorage, location } = globalThis as unknown as Page;
  const names = Array.from({ length: sessionStorage.length }, (_, index) => sessionStorage.key(index) ?? '');
  return {
    origin: location.origin,
    entries: names.map((name) => ({ name, value: sessionStorage.getItem(name) ?? '' })),
  };
}
