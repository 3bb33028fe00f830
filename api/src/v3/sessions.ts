import { type Static, Type } from 'typebox';
import { MESSAGE_TYPES } from '../run.ts';
import { Decimal, Instant, Nullable, OptionalNullable, ProxyCountry, Uuid, screenFields } from './common.ts';

/** Agent sessions of the v3 API: conversations. */

export const V3_STATUSES = ['created', 'idle', 'running', 'stopped', 'timed_out', 'error'] as const;
export type V3Status = (typeof V3_STATUSES)[number];

export const THINKING_LEVELS = ['disabled', 'low', 'medium', 'high'] as const;
const ThinkingLevel = Type.Enum(THINKING_LEVELS);

export const CreateSessionBody = Type.Object({
  task: OptionalNullable(Type.String({ minLength: 1, maxLength: 50_000 })),
  model: OptionalNullable(Type.String({ minLength: 1, maxLength: 128 })),
  thinkingLevel: OptionalNullable(ThinkingLevel),
  sessionId: OptionalNullable(Uuid),
  keepAlive: OptionalNullable(Type.Boolean()),
  maxCostUsd: OptionalNullable(
    Type.Union([Type.Number({ minimum: 0 }), Type.String({ pattern: '^[0-9]+(\\.[0-9]{1,6})?$', maxLength: 16 })]),
  ),
  profileId: OptionalNullable(Uuid),
  workspaceId: OptionalNullable(Uuid),
  proxyCountryCode: OptionalNullable(ProxyCountry),
  ...screenFields,
  outputSchema: OptionalNullable(Type.Object({})),
  enableRecording: OptionalNullable(Type.Boolean()),
  sensitiveData: OptionalNullable(Type.Record(Type.String(), Type.String())),
  /** Beyond the original: what the run may use and how many steps it may take. */
  maxSteps: OptionalNullable(Type.Integer({ minimum: 1, maximum: 10_000 })),
  allowedOrigins: OptionalNullable(Type.Array(Type.String({ maxLength: 300 }), { maxItems: 64 })),
  startUrl: OptionalNullable(Type.String({ maxLength: 8192, pattern: '^(about:blank|https?://.+)$' })),
});
export type CreateSessionBody = Static<typeof CreateSessionBody>;

export const StopSessionBody = Type.Union([
  Type.Object({ strategy: Type.Optional(Type.Union([Type.Literal('session'), Type.Literal('task')])) }),
  Type.Null(),
]);
export type StopSessionBody = Static<typeof StopSessionBody>;

export const ListSessionsQuery = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1 })),
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
});
export type ListSessionsQuery = Static<typeof ListSessionsQuery>;

export const SessionView = Type.Object({
  id: Uuid,
  status: Type.Enum(V3_STATUSES),
  model: Type.String(),
  thinkingLevel: Nullable(ThinkingLevel),
  title: Nullable(Type.String()),
  output: Type.Unknown(),
  outputSchema: Nullable(Type.Object({})),
  stepCount: Type.Integer(),
  lastStepSummary: Nullable(Type.String()),
  isTaskSuccessful: Nullable(Type.Boolean()),
  liveUrl: Nullable(Type.String()),
  recordingUrls: Type.Array(Type.String()),
  profileId: Nullable(Uuid),
  workspaceId: Nullable(Uuid),
  proxyCountryCode: Nullable(Type.String()),
  browserScreenWidth: Nullable(Type.Integer()),
  browserScreenHeight: Nullable(Type.Integer()),
  maxCostUsd: Nullable(Decimal),
  totalInputTokens: Type.Integer(),
  totalOutputTokens: Type.Integer(),
  proxyUsedMb: Decimal,
  llmCostUsd: Decimal,
  proxyCostUsd: Decimal,
  browserCostUsd: Decimal,
  totalCostUsd: Decimal,
  screenshotUrl: Nullable(Type.String()),
  agentmailEmail: Nullable(Type.String()),
  integrationsUsed: Type.Array(Type.String()),
  createdAt: Instant,
  updatedAt: Instant,
  /** Beyond the original. */
  resolvedModel: Nullable(Type.String()),
  browserId: Nullable(Uuid),
  failureKind: Nullable(Type.String()),
  failureMessage: Nullable(Type.String()),
  failureStatusCode: Nullable(Type.Integer()),
  recoveryHint: Nullable(Type.String()),
});
export type SessionView = Static<typeof SessionView>;

export const SessionList = Type.Object({
  sessions: Type.Array(SessionView),
  total: Type.Integer(),
  page: Type.Integer(),
  pageSize: Type.Integer(),
});
export type SessionList = Static<typeof SessionList>;

export const ListMessagesQuery = Type.Object({
  after: Type.Optional(Uuid),
  before: Type.Optional(Uuid),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
});
export type ListMessagesQuery = Static<typeof ListMessagesQuery>;

export const MessageView = Type.Object({
  id: Uuid,
  sessionId: Uuid,
  role: Type.Union([Type.Literal('human'), Type.Literal('ai')]),
  data: Type.String(),
  type: Type.Enum(MESSAGE_TYPES),
  summary: Type.String(),
  screenshotUrl: Nullable(Type.String()),
  hidden: Type.Boolean(),
  createdAt: Instant,
});
export type MessageView = Static<typeof MessageView>;

export const MessageList = Type.Object({ messages: Type.Array(MessageView), hasMore: Type.Boolean() });
export type MessageList = Static<typeof MessageList>;
