import { type Conversation, type Message, type RunRecord, type RunRequest, messageSequence } from '@podwright/api/run';
import { REDIS } from '@podwright/api/names';
import type { Redis } from 'ioredis';
import {
  type NewMessage,
  decodeConversation,
  decodeMessage,
  decodeRun,
  encodeFields,
  encodeMessage,
  freshRun,
} from './encoding.ts';
import { createScript } from './script.ts';
import { CREATE_CONVERSATION, START_RUN } from './scripts.ts';

/** A conversation with its current run, read in one transaction: what every status is computed from. */
export interface ConversationView {
  conversation: Conversation;
  run: RunRecord | null;
}

/** Fields of a conversation that change after its creation. */
export type ConversationPatch = Partial<
  Pick<
    Conversation,
    'sessionUid' | 'sessionName' | 'modelAlias' | 'keepAlive' | 'title' | 'deletedAt' | 'stoppedAt' | 'echo'
  >
>;

export interface Conversations {
  /** Creates it, with its first run and messages when given. False: it existed and nothing changed. */
  create(conversation: Conversation, run: RunRequest | null, messages: NewMessage[]): Promise<boolean>;
  /** Starts a follow-up run. `busy`: the current run has not ended. */
  startRun(
    view: ConversationView,
    run: RunRequest,
    patch: ConversationPatch,
    messages: NewMessage[],
  ): Promise<'started' | 'busy' | 'changed' | 'missing'>;
  get(id: string): Promise<ConversationView | null>;
  getMany(ids: string[]): Promise<(ConversationView | null)[]>;
  /** A run by id, whichever conversation it belongs to. */
  findRun(runId: string): Promise<RunRecord | null>;
  /** The conversation a BrowserSession belongs to. */
  findBySession(sessionUid: string): Promise<string | null>;
  patch(id: string, patch: ConversationPatch): Promise<void>;
  /** Ids newest first, with the count of all. */
  list(tenant: string, offset: number, limit: number): Promise<{ ids: string[]; total: number }>;
  /** Takes it out of the tenant's list; its record expires after `keepSeconds`. */
  forget(tenant: string, id: string, keepSeconds: number): Promise<void>;
  /** Without a cursor the newest `limit`, ascending; `after`: the oldest following; `before`: the newest preceding. Unknown cursor: empty. */
  messages(
    id: string,
    query: { after?: string; before?: string; limit: number },
  ): Promise<{ messages: Message[]; hasMore: boolean }>;
  appendMessages(id: string, messages: NewMessage[]): Promise<void>;
}

export function createConversations(options: { redis: Redis; now: () => number }): Conversations {
  const { redis, now } = options;
  const createScripted = createScript(redis, CREATE_CONVERSATION);
  const startScripted = createScript(redis, START_RUN);
  const counted = (fields: string[]): (string | number)[] => [fields.length, ...fields];

  const index = async (conversation: Conversation, run: RunRequest | null): Promise<void> => {
    const pipeline = redis.pipeline();
    pipeline.set(REDIS.sessionIndex(conversation.sessionUid), conversation.id);
    if (run) pipeline.set(REDIS.runIndex(run.runId), conversation.id);
    pipeline.zadd(REDIS.tenantConversations(conversation.tenant), Date.parse(conversation.createdAt), conversation.id);
    await pipeline.exec();
  };

  const read = async (id: string): Promise<ConversationView | null> => {
    // The run id may change between two reads; reading it again inside a transaction settles which run is current.
    for (let round = 0; round < 5; round += 1) {
      const currentRunId = await redis.hget(REDIS.conversation(id), 'currentRunId');
      if (currentRunId === null) return null;
      const runId = JSON.parse(currentRunId) as string | null;
      const results = await redis
        .multi()
        .hgetall(REDIS.conversation(id))
        .hgetall(REDIS.run(id, runId ?? 'none'))
        .exec();
      const [conversationHash, runHash] = (results ?? []).map(([, value]) => value as Record<string, string>);
      const conversation = decodeConversation(conversationHash ?? {});
      if (!conversation) return null;
      if (conversation.currentRunId === runId) return { conversation, run: decodeRun(runHash ?? {}) };
    }
    throw new Error('the current run of the conversation kept changing while it was read');
  };

  return {
    async create(conversation, run, messages) {
      const created = await createScripted(
        [
          REDIS.conversation(conversation.id),
          REDIS.run(conversation.id, run?.runId ?? 'none'),
          REDIS.messages(conversation.id),
        ],
        [
          ...counted(encodeFields(conversation)),
          ...counted(run ? encodeFields({ request: run, ...freshRun(now()) }) : []),
          ...messages.map((message) => encodeMessage(message, now())),
        ],
      );
      // Indexes live in other slots: they are written even when the record was there, so that a repeat repairs a crash between.
      await index(conversation, run);
      return created === 1;
    },
    async startRun(view, run, patch, messages) {
      const { conversation } = view;
      await redis.set(REDIS.runIndex(run.runId), conversation.id);
      const changed = { ...patch, currentRunId: run.runId, updatedAt: new Date(now()).toISOString() };
      const outcome = await startScripted(
        [
          REDIS.conversation(conversation.id),
          REDIS.run(conversation.id, conversation.currentRunId ?? 'none'),
          REDIS.run(conversation.id, run.runId),
          REDIS.messages(conversation.id),
        ],
        [
          JSON.stringify(conversation.currentRunId),
          ...counted(encodeFields(changed)),
          ...counted(encodeFields({ request: run, ...freshRun(now()) })),
          ...messages.map((message) => encodeMessage(message, now())),
        ],
      );
      if (outcome === 'started' && patch.sessionUid !== undefined) {
        await redis.set(REDIS.sessionIndex(patch.sessionUid), conversation.id);
      }
      return outcome as 'started' | 'busy' | 'changed' | 'missing';
    },
    get: read,
    getMany: (ids) => Promise.all(ids.map(read)),
    async findRun(runId) {
      const conversationId = await redis.get(REDIS.runIndex(runId));
      return conversationId === null ? null : decodeRun(await redis.hgetall(REDIS.run(conversationId, runId)));
    },
    findBySession: (sessionUid) => redis.get(REDIS.sessionIndex(sessionUid)),
    async patch(id, patch) {
      await redis.hset(REDIS.conversation(id), ...encodeFields({ ...patch, updatedAt: new Date(now()).toISOString() }));
    },
    async list(tenant, offset, limit) {
      const key = REDIS.tenantConversations(tenant);
      const [ids, total] = await Promise.all([redis.zrevrange(key, offset, offset + limit - 1), redis.zcard(key)]);
      return { ids, total };
    },
    async forget(tenant, id, keepSeconds) {
      await redis.zrem(REDIS.tenantConversations(tenant), id);
      await redis.expire(REDIS.conversation(id), keepSeconds);
      await redis.expire(REDIS.messages(id), keepSeconds);
    },
    async messages(id, { after, before, limit }) {
      const key = REDIS.messages(id);
      const total = await redis.llen(key);
      const range = messageRange(total, limit, {
        ...(after === undefined ? {} : { after: messageSequence(id, after) }),
        ...(before === undefined ? {} : { before: messageSequence(id, before) }),
      });
      if (!range) return { messages: [], hasMore: false };
      const texts = await redis.lrange(key, range.first - 1, range.last - 1);
      return {
        messages: texts.map((text, index) => decodeMessage(id, range.first + index, text)),
        hasMore: range.hasMore,
      };
    },
    async appendMessages(id, messages) {
      if (messages.length === 0) return;
      await redis.rpush(REDIS.messages(id), ...messages.map((message) => encodeMessage(message, now())));
    },
  };
}

/**
 * Which sequence numbers (1-based, inclusive) a page holds. `hasMore` says that messages remain in the direction of reading.
 * A cursor of null is one that belongs to no message: an empty page, never the whole list.
 */
export function messageRange(
  total: number,
  limit: number,
  cursor: { after?: number | null; before?: number | null },
): { first: number; last: number; hasMore: boolean } | null {
  if (cursor.after === null || cursor.before === null) return null;
  const low = (cursor.after ?? 0) + 1;
  const high = Math.min(total, (cursor.before ?? total + 1) - 1);
  if (low > high) return null;
  if (cursor.after !== undefined) {
    const last = Math.min(high, low + limit - 1);
    return { first: low, last, hasMore: last < high };
  }
  const first = Math.max(low, high - limit + 1);
  return { first, last: high, hasMore: first > low };
}
