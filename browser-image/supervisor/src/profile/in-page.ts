import type { StorageOrigin } from '@podwright/api/storage-state';

/**
 * Functions that run inside a page: they are sent as text, so each holds everything it needs.
 * Values that JSON cannot hold are written in Playwright's tagged form, so that states can be carried between both.
 */

interface WebStorage {
  length: number;
  key(index: number): string | null;
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
}
interface Request<Result = unknown> {
  result: Result;
  error: unknown;
  addEventListener(type: 'success' | 'error' | 'upgradeneeded', listener: () => void): void;
}
interface Index {
  name: string;
  keyPath: string | string[];
  multiEntry: boolean;
  unique: boolean;
}
interface Store {
  name: string;
  keyPath: string | string[] | null;
  autoIncrement: boolean;
  indexNames: ArrayLike<string>;
  index(name: string): Index;
  getAllKeys(): Request<unknown[]>;
  get(key: unknown): Request;
  put(value: unknown, key?: unknown): Request;
  createIndex(name: string, keyPath: string | string[], options: { multiEntry: boolean; unique: boolean }): unknown;
}
interface Database {
  version: number;
  objectStoreNames: ArrayLike<string>;
  transaction(names: string[], mode?: 'readwrite'): { objectStore(name: string): Store };
  createObjectStore(name: string, options: { keyPath: string | string[] | null; autoIncrement: boolean }): Store;
  close(): void;
}
interface Page {
  localStorage: WebStorage;
  indexedDB: {
    databases(): Promise<{ name?: string; version?: number }[]>;
    open(name: string, version?: number): Request<Database>;
  };
  atob(text: string): string;
  btoa(text: string): string;
}

/** Reads localStorage and IndexedDB of the origin it runs in. Values that cannot be carried (keys of WebCrypto, files) are left out. */
export async function collectInPage(): Promise<Pick<StorageOrigin, 'localStorage' | 'indexedDB'>> {
  const page = globalThis as unknown as Page;
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
  const readStore = async (
    store: Store,
  ): Promise<NonNullable<StorageOrigin['indexedDB']>[number]['stores'][number]> => {
    const records: Record<string, unknown>[] = [];
    for (const key of await settled(store.getAllKeys())) {
      const value = await settled(store.get(key));
      try {
        records.push({ ...(store.keyPath === null ? carried('key', key) : {}), ...carried('value', value) });
      } catch {
        // A value of a kind that cannot be carried.
      }
    }
    const indexes = Array.from(store.indexNames, (name) => store.index(name)).map((index) => ({
      name: index.name,
      ...path(index.keyPath),
      multiEntry: index.multiEntry,
      unique: index.unique,
    }));
    return { name: store.name, autoIncrement: store.autoIncrement, ...path(store.keyPath), indexes, records };
  };

  const databases: NonNullable<StorageOrigin['indexedDB']> = [];
  for (const { name } of await page.indexedDB.databases()) {
    if (name === undefined) continue;
    const database = await settled(page.indexedDB.open(name));
    const stores: (typeof databases)[number]['stores'] = [];
    for (const store of Array.from(database.objectStoreNames)) {
      stores.push(await readStore(database.transaction([store]).objectStore(store)));
    }
    databases.push({ name, version: database.version, stores });
    database.close();
  }
  const { localStorage } = page;
  const entries = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? '').map(
    (name) => ({ name, value: localStorage.getItem(name) ?? '' }),
  );
  return { localStorage: entries, ...(databases.length === 0 ? {} : { indexedDB: databases }) };
}

/** Writes localStorage and IndexedDB of the origin it runs in. A database that is already there is left as it is. */
export async function restoreInPage(state: StorageOrigin): Promise<void> {
  const page = globalThis as unknown as Page;
  const settled = <Result>(request: Request<Result>): Promise<Result> =>
    new Promise((resolve, reject) => {
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error));
    });
  const bytesOf = (text: string): Uint8Array => Uint8Array.from(page.atob(text), (char) => char.codePointAt(0) ?? 0);
  const arrayKinds: Record<string, new (buffer: ArrayBuffer) => object> = {
    i8: Int8Array,
    ui8: Uint8Array,
    ui8c: Uint8ClampedArray,
    i16: Int16Array,
    ui16: Uint16Array,
    i32: Int32Array,
    ui32: Uint32Array,
    f32: Float32Array,
    f64: Float64Array,
    bi64: BigInt64Array,
    bui64: BigUint64Array,
  };
  const words: Record<string, unknown> = { null: null, NaN, Infinity, '-Infinity': -Infinity, '-0': -0 };
  const decode = (value: unknown, seen: Map<unknown, object>): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const tagged = value as Record<string, never>;
    const keep = <Made extends object>(made: Made): Made => {
      seen.set(tagged['id'], made);
      return made;
    };
    if ('ref' in tagged) return seen.get(tagged['ref']);
    if ('v' in tagged) return words[tagged['v']];
    if ('d' in tagged) return new Date(tagged['d']);
    if ('bi' in tagged) return BigInt(tagged['bi']);
    if ('r' in tagged) return new RegExp(tagged['r']['p'], tagged['r']['f']);
    if ('ab' in tagged) return bytesOf(tagged['ab']['b']).buffer;
    if ('ta' in tagged) {
      const kind = arrayKinds[tagged['ta']['k']];
      return kind ? new kind(bytesOf(tagged['ta']['b']).buffer as ArrayBuffer) : undefined;
    }
    if ('a' in tagged) {
      const list = keep<unknown[]>([]);
      for (const item of tagged['a'] as unknown[]) list.push(decode(item, seen));
      return list;
    }
    if ('m' in tagged) {
      const map = keep(new Map<unknown, unknown>());
      for (const { k, v } of tagged['m'] as { k: unknown; v: unknown }[]) map.set(decode(k, seen), decode(v, seen));
      return map;
    }
    if ('s' in tagged) {
      const set = keep(new Set<unknown>());
      for (const item of tagged['s'] as unknown[]) set.add(decode(item, seen));
      return set;
    }
    const object = keep<Record<string, unknown>>({});
    for (const { k, v } of (tagged['o'] ?? []) as { k: string; v: unknown }[]) {
      if (k !== '__proto__') object[k] = decode(v, seen);
    }
    return object;
  };

  for (const { name, value } of state.localStorage) page.localStorage.setItem(name, value);
  const present = new Set((await page.indexedDB.databases()).map(({ name }) => name));
  for (const { name, version, stores } of state.indexedDB ?? []) {
    if (present.has(name)) continue;
    const request = page.indexedDB.open(name, version);
    request.addEventListener('upgradeneeded', () => {
      for (const { name, autoIncrement, keyPath, keyPathArray, indexes } of stores) {
        const store = request.result.createObjectStore(name, {
          keyPath: keyPathArray ?? keyPath ?? null,
          autoIncrement,
        });
        for (const { name, keyPath, keyPathArray, multiEntry, unique } of indexes) {
          store.createIndex(name, keyPathArray ?? keyPath ?? '', { multiEntry, unique });
        }
      }
    });
    const database = await settled(request);
    for (const { name, records } of stores) {
      const store = database.transaction([name], 'readwrite').objectStore(name);
      for (const record of records) {
        const value = 'valueEncoded' in record ? decode(record.valueEncoded, new Map()) : record.value;
        const key = 'keyEncoded' in record ? decode(record.keyEncoded, new Map()) : record.key;
        store.put(value, key);
      }
    }
    database.close();
  }
}

/** Reads sessionStorage of the document it runs in. */
export function collectSessionStorage(): { origin: string; entries: { name: string; value: string }[] } {
  const { sessionStorage, location } = globalThis as unknown as {
    sessionStorage: WebStorage;
    location: { origin: string };
  };
  const names = Array.from({ length: sessionStorage.length }, (_, index) => sessionStorage.key(index) ?? '');
  return {
    origin: location.origin,
    entries: names.map((name) => ({ name, value: sessionStorage.getItem(name) ?? '' })),
  };
}

/** Runs before each document of the first page: fills a sessionStorage that is still empty. */
export function restoreSessionStorage(byOrigin: Record<string, { name: string; value: string }[]>): void {
  const { sessionStorage, location } = globalThis as unknown as {
    sessionStorage: WebStorage;
    location: { origin: string };
  };
  const entries = byOrigin[location.origin];
  if (!entries || sessionStorage.length > 0) return;
  for (const { name, value } of entries) sessionStorage.setItem(name, value);
}
