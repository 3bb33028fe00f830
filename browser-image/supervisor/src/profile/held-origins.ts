import { Value } from 'typebox/value';
import { jsonShape } from '@podwright/api/json-shape';
import {
  STORAGE_STATE_MAX_BYTES,
  STORAGE_STATE_MAX_DEPTH,
  STORAGE_STATE_MAX_VALUES,
  type StorageCookie,
  StorageOrigin,
} from '@podwright/api/storage-state';

/** The last known storages of each origin, as JSON text: what was loaded, and what was read since. */
export interface HeldOrigins {
  has(origin: string): boolean;
  /** Takes what was found; undefined when it was held, or holds nothing; else why it was not taken. */
  put(found: StorageOrigin): 'malformed' | 'too large' | undefined;
  drop(origin: string): void;
  names(): string[];
  /** The whole state as JSON text, with the origins in this order as far as they fit, and how many did not. */
  assemble(options: { cookies: StorageCookie[]; order: readonly string[] }): { text: string; left: number };
}

/** Room for the names of members, and for what is said to be missing. */
const MARGIN_BYTES = 64 * 1024;
const MARGIN_DEPTH = 4;

interface Held {
  json: string;
  bytes: number;
  values: number;
}

export function createHeldOrigins(): HeldOrigins {
  const held = new Map<string, Held>();
  return {
    has: (origin) => held.has(origin),
    put(found) {
      held.delete(found.origin);
      // A page wrote this: what does not have the shape is not carried.
      if (!Value.Check(StorageOrigin, found)) return 'malformed';
      if (!holdsSomething(found)) return undefined;
      const json = JSON.stringify(found);
      const bytes = Buffer.from(json);
      const { depth, values } = jsonShape(bytes);
      if (depth > STORAGE_STATE_MAX_DEPTH - MARGIN_DEPTH) return 'too large';
      if (bytes.length > STORAGE_STATE_MAX_BYTES / 2 || values > STORAGE_STATE_MAX_VALUES / 2) return 'too large';
      held.set(found.origin, { json, bytes: bytes.length, values });
      return undefined;
    },
    drop: (origin) => void held.delete(origin),
    names: () => [...held.keys()],
    assemble({ cookies, order }) {
      const cookieText = JSON.stringify(cookies);
      let bytes = STORAGE_STATE_MAX_BYTES - MARGIN_BYTES - Buffer.byteLength(cookieText);
      let values = STORAGE_STATE_MAX_VALUES - jsonShape(Buffer.from(cookieText)).values;
      const taken: string[] = [];
      let left = 0;
      for (const origin of order) {
        const one = held.get(origin);
        if (!one) continue;
        if (one.bytes >= bytes || one.values >= values) {
          left += 1;
          continue;
        }
        bytes -= one.bytes + 1;
        values -= one.values + 1;
        taken.push(one.json);
      }
      return { text: `"cookies":${cookieText},"origins":[${taken.join(',')}]`, left };
    },
  };
}

const holdsSomething = ({ localStorage, sessionStorage, indexedDB }: StorageOrigin): boolean =>
  localStorage.length > 0 || (sessionStorage ?? []).length > 0 || (indexedDB ?? []).length > 0;
