import { type Static, Type } from 'typebox';

/**
 * Storage state of a browser: what `PUT` and `GET /profile` of the pod door carry and what a BrowserProfile keeps.
 * Playwright's form (cookies, and localStorage and IndexedDB by origin), plus sessionStorage.
 * What comes back from a pod is hostile: it is checked against this schema, unknown members are dropped, sizes are capped.
 */
export const STORAGE_STATE_MAX_BYTES = 16 * 1024 * 1024;
/** Nesting and number of JSON values: far above what real states need, far below what would hurt a process. */
export const STORAGE_STATE_MAX_DEPTH = 100;
export const STORAGE_STATE_MAX_VALUES = 500_000;

const Entry = Type.Object({
  name: Type.String({ maxLength: 65_536 }),
  value: Type.String({ maxLength: 10_485_760 }),
});

export const StorageCookie = Type.Object({
  name: Type.String({ maxLength: 4096 }),
  value: Type.String({ maxLength: 4096 }),
  domain: Type.String({ minLength: 1, maxLength: 254 }),
  path: Type.String({ maxLength: 2048 }),
  /** Seconds since the epoch; -1 for a cookie of the browser session. */
  expires: Type.Number({ minimum: -1 }),
  httpOnly: Type.Boolean(),
  secure: Type.Boolean(),
  sameSite: Type.Union([Type.Literal('Strict'), Type.Literal('Lax'), Type.Literal('None')]),
  /** Top-level site of a partitioned (CHIPS) cookie. */
  partitionKey: Type.Optional(Type.String({ maxLength: 1024 })),
  /** Of a partitioned cookie: a frame of another site lies between it and the top (Playwright's name; absent means true). */
  _crHasCrossSiteAncestor: Type.Optional(Type.Boolean()),
});
export type StorageCookie = Static<typeof StorageCookie>;

const IndexedDbStore = Type.Object({
  name: Type.String({ maxLength: 4096 }),
  autoIncrement: Type.Boolean(),
  keyPath: Type.Optional(Type.String({ maxLength: 4096 })),
  keyPathArray: Type.Optional(Type.Array(Type.String({ maxLength: 4096 }), { maxItems: 64 })),
  indexes: Type.Array(
    Type.Object({
      name: Type.String({ maxLength: 4096 }),
      keyPath: Type.Optional(Type.String({ maxLength: 4096 })),
      keyPathArray: Type.Optional(Type.Array(Type.String({ maxLength: 4096 }), { maxItems: 64 })),
      multiEntry: Type.Boolean(),
      unique: Type.Boolean(),
    }),
    { maxItems: 1000 },
  ),
  /** JSON values, or Playwright's encoding of values that JSON cannot hold. */
  records: Type.Array(
    Type.Object({
      key: Type.Optional(Type.Unknown()),
      keyEncoded: Type.Optional(Type.Unknown()),
      value: Type.Optional(Type.Unknown()),
      valueEncoded: Type.Optional(Type.Unknown()),
    }),
  ),
});

export const StorageOrigin = Type.Object({
  origin: Type.String({ pattern: '^https?://[^/]+$', maxLength: 300 }),
  localStorage: Type.Array(Entry, { maxItems: 100_000 }),
  sessionStorage: Type.Optional(Type.Array(Entry, { maxItems: 100_000 })),
  indexedDB: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String({ maxLength: 4096 }),
        version: Type.Number({ minimum: 0 }),
        stores: Type.Array(IndexedDbStore, { maxItems: 1000 }),
      }),
      { maxItems: 1000 },
    ),
  ),
});
export type StorageOrigin = Static<typeof StorageOrigin>;

export const StorageState = Type.Object({
  cookies: Type.Array(StorageCookie, { maxItems: 10_000 }),
  origins: Type.Array(StorageOrigin, { maxItems: 5000 }),
});
export type StorageState = Static<typeof StorageState>;

/** What of a state could not be read or put in, in words for people. */
const Missing = Type.Array(Type.String({ maxLength: 300 }), { maxItems: 50 });

export const StorageSnapshot = Type.Object({
  ...StorageState.properties,
  missing: Type.Optional(Missing),
});
export type StorageSnapshot = Static<typeof StorageSnapshot>;

export const ProfileReport = Type.Object({ missing: Missing });
export type ProfileReport = Static<typeof ProfileReport>;
