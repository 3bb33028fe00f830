import { type KubeObject, keyOf } from './resource.ts';

/** Names an index: the keys under which an object is found. No key: it is not in the index. */
export type IndexFunctions<T, I extends string> = Record<I, (object: T) => readonly string[]>;

/** Read side of a cache. Objects are shared: whoever wants to change one makes a copy. */
export interface Store<T extends KubeObject, I extends string = never> {
  get(key: string): T | undefined;
  getByUid(uid: string): T | undefined;
  list(): T[];
  by(index: I, value: string): T[];
  /** Values that an index has now. */
  values(index: I): string[];
  readonly size: number;
}

export type Change<T> =
  | { type: 'added'; object: T }
  | { type: 'changed'; object: T; previous: T }
  | { type: 'removed'; object: T };

/** How long a removed UID is remembered, so that a late answer to a write does not bring it back. */
const TOMBSTONE_MS = 120_000;

interface Tombstone {
  at: number;
  /**
   * Version at which the watch saw it go. What is newer came back: a label that the selector wants was put on again.
   * Undefined: the object itself is known to be deleted, and nothing of it is ever newer.
   */
  version: string | undefined;
}

export interface WritableStore<T extends KubeObject, I extends string> extends Store<T, I> {
  /** Takes an object from a watch event or a write's answer; older than what is there changes nothing. */
  put(object: T): Change<T>[];
  /** It left the watch at the version that `object` has; `deleted`: it exists no more, whatever its version was. */
  remove(object: T, how?: { deleted: boolean }): Change<T>[];
  /**
   * Takes a whole list: what is absent from it and not newer than it is gone.
   * `rolledBack`: the server's data is older than what was seen (a restored backup), so versions say nothing.
   */
  replace(objects: readonly T[], resourceVersion: string, rolledBack?: boolean): Change<T>[];
}

/** resourceVersions are ordered integers (KEP-5504); the rare server without them is compared as "newer". */
export function isNewer(candidate: string, than: string): boolean {
  try {
    return BigInt(candidate) > BigInt(than);
  } catch {
    return candidate !== than;
  }
}

export function createStore<T extends KubeObject, I extends string = never>(options: {
  indexes: IndexFunctions<T, I>;
  now: () => number;
}): WritableStore<T, I> {
  const objects = new Map<string, T>();
  const uids = new Map<string, T>();
  const indexNames = Object.keys(options.indexes) as I[];
  const indexes = new Map(indexNames.map((name) => [name, new Map<string, Map<string, T>>()]));
  const tombstones = new Map<string, Tombstone>();

  function unindex(object: T): void {
    const key = keyOf(object);
    for (const name of indexNames) {
      const index = indexes.get(name)!;
      for (const value of options.indexes[name](object)) {
        const bucket = index.get(value);
        bucket?.delete(key);
        if (bucket?.size === 0) index.delete(value);
      }
    }
  }

  function set(object: T, previous: T | undefined): void {
    const key = keyOf(object);
    if (previous) {
      unindex(previous);
      uids.delete(previous.metadata.uid);
    }
    objects.set(key, object);
    uids.set(object.metadata.uid, object);
    for (const name of indexNames) {
      const index = indexes.get(name)!;
      for (const value of options.indexes[name](object)) {
        let bucket = index.get(value);
        if (!bucket) index.set(value, (bucket = new Map()));
        bucket.set(key, object);
      }
    }
  }

  function drop(object: T, version: string | undefined): void {
    unindex(object);
    objects.delete(keyOf(object));
    uids.delete(object.metadata.uid);
    bury(object.metadata.uid, version);
  }

  function bury(uid: string, version: string | undefined): void {
    const at = options.now();
    const before = tombstones.get(uid);
    tombstones.delete(uid);
    tombstones.set(uid, { at, version: before && !comesBack(version, before) ? before.version : version });
    for (const [old, tombstone] of tombstones) {
      if (at - tombstone.at < TOMBSTONE_MS) break;
      tombstones.delete(old);
    }
  }

  const comesBack = (version: string | undefined, tombstone: Tombstone): boolean =>
    tombstone.version !== undefined && (version === undefined || isNewer(version, tombstone.version));

  const store: WritableStore<T, I> = {
    get: (key) => objects.get(key),
    getByUid: (uid) => uids.get(uid),
    list: () => [...objects.values()],
    by: (index, value) => [...(indexes.get(index)?.get(value)?.values() ?? [])],
    values: (index) => [...(indexes.get(index)?.keys() ?? [])],
    get size() {
      return objects.size;
    },
    put(object) {
      const tombstone = tombstones.get(object.metadata.uid);
      if (tombstone && !comesBack(object.metadata.resourceVersion, tombstone)) return [];
      tombstones.delete(object.metadata.uid);
      const previous = objects.get(keyOf(object));
      if (previous === undefined) {
        set(object, undefined);
        return [{ type: 'added', object }];
      }
      if (previous.metadata.uid !== object.metadata.uid) {
        // Deleted and made again while nobody looked: two objects that only share a name.
        if (!isNewer(object.metadata.resourceVersion, previous.metadata.resourceVersion)) return [];
        drop(previous, undefined);
        set(object, undefined);
        return [
          { type: 'removed', object: previous },
          { type: 'added', object },
        ];
      }
      if (!isNewer(object.metadata.resourceVersion, previous.metadata.resourceVersion)) return [];
      set(object, previous);
      return [{ type: 'changed', object, previous }];
    },
    remove(object, { deleted } = { deleted: false }) {
      const previous = objects.get(keyOf(object));
      const version = deleted ? undefined : object.metadata.resourceVersion;
      if (!previous || previous.metadata.uid !== object.metadata.uid) {
        bury(object.metadata.uid, version);
        return [];
      }
      // It left and came back, and this tells of the leaving once more, or late.
      if (version !== undefined && isNewer(previous.metadata.resourceVersion, version)) return [];
      drop(previous, version);
      return [{ type: 'removed', object: previous }];
    },
    replace(next, resourceVersion, rolledBack = false) {
      const changes: Change<T>[] = [];
      if (rolledBack) {
        for (const object of objects.values()) changes.push(...store.remove(object));
        tombstones.clear();
      }
      const kept = new Set(next.map((object) => object.metadata.uid));
      for (const object of objects.values()) {
        // Newer than the list: written by this process while the list was on its way.
        if (kept.has(object.metadata.uid) || isNewer(object.metadata.resourceVersion, resourceVersion)) continue;
        drop(object, resourceVersion);
        changes.push({ type: 'removed', object });
      }
      for (const object of next) changes.push(...store.put(object));
      return changes;
    },
  };
  return store;
}
