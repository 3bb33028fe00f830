import type { StorageOrigin } from '@podwright/api/storage-state';
import type { Page, Request } from './page-globals.ts';

/**
 * Writes the storages of the origin it runs in; sent as text into a blank page. A database that is already there is left
 * as it is. Returns how many entries and databases were not taken: one that does not fit keeps no other out.
 */
export async function restoreInPage(state: StorageOrigin): Promise<{ leftEntries: number; leftDatabases: number }> {
  const page = globalThis as unknown as Page;
  const settled = <Result>(request: Request<Result>): Promise<Result> =>
    new Promise((resolve, reject) => {
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error));
      request.addEventListener('blocked', () => reject(new Error('blocked')));
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
  const errorKinds: Record<string, new (message: string) => Error> = {
    EvalError,
    RangeError,
    ReferenceError,
    SyntaxError,
    TypeError,
    URIError,
  };
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
    if ('e' in tagged) {
      const { n, m, s } = tagged['e'] as { n: string; m: string; s: string };
      return Object.assign(new (errorKinds[n] ?? Error)(m), { stack: s });
    }
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

  const restoreDatabase = async (wanted: NonNullable<StorageOrigin['indexedDB']>[number]): Promise<void> => {
    const { name, version, stores } = wanted;
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
    try {
      if (stores.length === 0) return;
      const transaction = database.transaction(
        stores.map((store) => store.name),
        'readwrite',
      );
      // The page goes on to another origin afterwards: what is not complete by then is lost.
      const complete = new Promise<void>((resolve, reject) => {
        transaction.addEventListener('complete', resolve);
        transaction.addEventListener('abort', () => reject(new Error('aborted')));
      });
      for (const { name, records } of stores) {
        const store = transaction.objectStore(name);
        for (const record of records) {
          const value = 'valueEncoded' in record ? decode(record.valueEncoded, new Map()) : record.value;
          const key = 'keyEncoded' in record ? decode(record.keyEncoded, new Map()) : record.key;
          store.put(value, key);
        }
      }
      await complete;
    } finally {
      database.close();
    }
  };

  let leftEntries = 0;
  const fill = (storage: Page['localStorage'], entries: StorageOrigin['localStorage']): void => {
    for (const { name, value } of entries) {
      try {
        storage.setItem(name, value);
      } catch {
        leftEntries += 1;
      }
    }
  };
  fill(page.localStorage, state.localStorage);
  fill(page.sessionStorage, state.sessionStorage ?? []);
  const present = new Set((await page.indexedDB.databases()).map(({ name }) => name));
  let leftDatabases = 0;
  for (const wanted of state.indexedDB ?? []) {
    if (present.has(wanted.name)) continue;
    await restoreDatabase(wanted).catch(() => {
      leftDatabases += 1;
    });
  }
  return { leftEntries, leftDatabases };
}
