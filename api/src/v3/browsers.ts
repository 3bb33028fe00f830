import { type Static, Type } from 'typebox';
import { Decimal, Instant, Nullable, OptionalNullable, PageQuery, ProxyCountry, Uuid, screenFields } from './common.ts';

/** Stand-alone browsers of the v2, v3 and v4 API. The id is the UID of the BrowserSession. */

/** Longest time a browser may be asked for; longer is 403 `timeout_too_long`. */
export const MAX_TIMEOUT_MINUTES = 240;
export const DEFAULT_TIMEOUT_MINUTES = 60;

export const CreateBrowserBody = Type.Object({
  profileId: OptionalNullable(Uuid),
  proxyCountryCode: OptionalNullable(ProxyCountry),
  metadata: OptionalNullable(Type.Record(Type.String(), Type.String({ maxLength: 500 }), { maxProperties: 10 })),
  /** Minutes. */
  timeout: OptionalNullable(Type.Integer({ minimum: 1 })),
  ...screenFields,
  allowResizing: OptionalNullable(Type.Boolean()),
  customProxy: OptionalNullable(
    Type.Object({
      host: Type.String({ minLength: 1, maxLength: 255 }),
      port: Type.Integer({ minimum: 1, maximum: 65535 }),
      username: OptionalNullable(Type.String()),
      password: OptionalNullable(Type.String()),
      ignoreCertErrors: OptionalNullable(Type.Boolean()),
    }),
  ),
  enableRecording: OptionalNullable(Type.Boolean()),
  extensionIds: OptionalNullable(Type.Array(Uuid, { maxItems: 3 })),
  /** Beyond the original. */
  startUrl: OptionalNullable(Type.String({ maxLength: 8192, pattern: '^(about:blank|https?://.+)$' })),
});
export type CreateBrowserBody = Static<typeof CreateBrowserBody>;

export const ListBrowsersQuery = Type.Object({
  ...PageQuery,
  filterBy: Type.Optional(Type.Union([Type.Literal('active'), Type.Literal('stopped')])),
  agentSessionId: Type.Optional(Uuid),
  /** `key` or `key=value`; every one must hold. */
  metadata: Type.Optional(Type.Array(Type.String(), { maxItems: 10 })),
});
export type ListBrowsersQuery = Static<typeof ListBrowsersQuery>;

export const PatchBrowserBody = Type.Object({ action: Type.Literal('stop') });

const itemFields = {
  id: Uuid,
  status: Type.Union([Type.Literal('active'), Type.Literal('stopped')]),
  liveUrl: Nullable(Type.String()),
  cdpUrl: Nullable(Type.String()),
  timeoutAt: Instant,
  startedAt: Instant,
  finishedAt: Nullable(Instant),
  proxyUsedMb: Decimal,
  proxyCost: Decimal,
  browserCost: Decimal,
  agentSessionId: Nullable(Uuid),
  recordingUrl: Nullable(Type.String()),
  metadata: Type.Record(Type.String(), Type.String()),
  extensions: Type.Array(
    Type.Object({ id: Uuid, runtimeId: Nullable(Type.String()), version: Nullable(Type.String()) }),
  ),
};
export const BrowserItem = Type.Object(itemFields);
export type BrowserItem = Static<typeof BrowserItem>;

export const BrowserView = Type.Object({ ...itemFields, recordingAvailable: Type.Boolean() });
export type BrowserView = Static<typeof BrowserView>;

export const BrowserList = Type.Object({
  items: Type.Array(BrowserItem),
  totalItems: Type.Integer(),
  pageNumber: Type.Integer(),
  pageSize: Type.Integer(),
});
export type BrowserList = Static<typeof BrowserList>;

export const ListDownloadsQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  cursor: Type.Optional(Type.String({ maxLength: 2048 })),
  includeUrls: Type.Optional(Type.Boolean()),
});
export type ListDownloadsQuery = Static<typeof ListDownloadsQuery>;

export const DownloadList = Type.Object({
  files: Type.Array(
    Type.Object({
      path: Type.String(),
      size: Type.Integer(),
      lastModified: Instant,
      url: Nullable(Type.String()),
    }),
  ),
  nextCursor: Nullable(Type.String()),
  hasMore: Type.Boolean(),
});
export type DownloadList = Static<typeof DownloadList>;
