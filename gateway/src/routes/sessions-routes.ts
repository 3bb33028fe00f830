import type { FastifyInstance } from 'fastify';
import { ApiError } from '@podwright/api/errors';
import type { Message } from '@podwright/api/run';
import { UuidParams } from '@podwright/api/v3/common';
import {
  CreateSessionBody,
  ListMessagesQuery,
  ListSessionsQuery,
  MessageList,
  type MessageView,
  SessionList,
  SessionView,
  StopSessionBody,
} from '@podwright/api/v3/sessions';
import type { Conversations } from '@podwright/runs/conversations';
import type { ConversationReader } from '../conversations/conversation-reader.ts';
import type { FollowUp } from '../conversations/follow-up.ts';
import type { ConversationStarter } from '../conversations/start-conversation.ts';
import type { ConversationStopper } from '../conversations/stop-conversation.ts';
import { callerOf } from '../http/public-server.ts';
import { namesFor, untilGone } from '../http/request-facts.ts';
import { requireScope } from '../identity/caller.ts';
import type { KeeperClient } from '../keeper-client.ts';
import type { CreateRate } from '../sessions/create-rate.ts';
import type { RepeatGuard } from '../sessions/repeat-guard.ts';

const DEFAULT_MESSAGES = 10;
const SCREENSHOT_LIFE_SECONDS = 300;

/** `/sessions` of the v3 API. */
export function registerSessions(
  app: FastifyInstance,
  parts: {
    conversations: Conversations;
    reader: ConversationReader;
    starter: ConversationStarter;
    followUp: FollowUp;
    stopper: ConversationStopper;
    rate: CreateRate;
    repeats: RepeatGuard;
    keeper: KeeperClient;
  },
): void {
  const { conversations, reader, starter, followUp, stopper, rate, repeats, keeper } = parts;

  app.post<{ Body: CreateSessionBody | null }>(
    '/sessions',
    { schema: { body: CreateSessionBody, response: { 200: SessionView } }, preValidation: bodyOrEmpty },
    async (request, reply) => {
      const caller = callerOf(request);
      requireScope(caller, 'run');
      const body = request.body ?? {};
      const { sessionId, task } = body;
      if (sessionId && !task) throw new ApiError('invalid_request', 'A task is required when sessionId is given.');
      const signal = untilGone(reply);
      const names = namesFor(request, caller, sessionId ? 'run' : 'session');
      const { limit, remaining } = await rate.take(caller);
      reply.headers({ 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining });
      if (!sessionId || !task) {
        return reader.show(caller, await starter.start(caller, body, names, signal), 'one');
      }
      await repeats.check(caller.tenant, names);
      return reader.show(caller, await followUp.start(caller, { ...body, sessionId, task }, names, signal), 'one');
    },
  );

  app.get<{ Querystring: ListSessionsQuery }>(
    '/sessions',
    { schema: { querystring: ListSessionsQuery, response: { 200: SessionList } } },
    async (request) => {
      const caller = callerOf(request);
      const page = request.query.page ?? 1;
      const pageSize = request.query.page_size ?? 20;
      const { ids, total } = await conversations.list(caller.tenant, (page - 1) * pageSize, pageSize);
      const views = (await conversations.getMany(ids)).filter((view) => view !== null);
      const sessions = await Promise.all(views.map((view) => reader.show(caller, view, 'list')));
      return { sessions, total, page, pageSize };
    },
  );

  app.get<{ Params: UuidParams }>(
    '/sessions/:id',
    { schema: { params: UuidParams, response: { 200: SessionView } } },
    async (request) => {
      const caller = callerOf(request);
      return reader.show(caller, await reader.read(caller, request.params.id.toLowerCase()), 'one');
    },
  );

  app.post<{ Params: UuidParams; Body: StopSessionBody }>(
    '/sessions/:id/stop',
    { schema: { params: UuidParams, body: StopSessionBody, response: { 200: SessionView } } },
    async (request) => {
      const caller = callerOf(request);
      requireScope(caller, 'run');
      const id = request.params.id.toLowerCase();
      const stopped =
        request.body?.strategy === 'task' ? await stopper.stopTask(caller, id) : await stopper.stopSession(caller, id);
      return reader.show(caller, stopped, 'one');
    },
  );

  app.delete<{ Params: UuidParams }>('/sessions/:id', { schema: { params: UuidParams } }, async (request, reply) => {
    const caller = callerOf(request);
    requireScope(caller, 'run');
    await stopper.remove(caller, request.params.id.toLowerCase());
    return reply.status(204).send();
  });

  app.get<{ Params: UuidParams; Querystring: ListMessagesQuery }>(
    '/sessions/:id/messages',
    { schema: { params: UuidParams, querystring: ListMessagesQuery, response: { 200: MessageList } } },
    async (request) => {
      const id = request.params.id.toLowerCase();
      await reader.read(callerOf(request), id);
      const { after, before, limit = DEFAULT_MESSAGES } = request.query;
      const page = await conversations.messages(id, {
        limit,
        ...(after === undefined ? {} : { after }),
        ...(before === undefined ? {} : { before }),
      });
      const messages = await Promise.all(page.messages.map((message) => messageView(id, message, keeper)));
      return { messages, hasMore: page.hasMore };
    },
  );
}

/** A create without a body asks for the defaults. */
async function bodyOrEmpty(request: { body: unknown }): Promise<void> {
  request.body ??= {};
}

async function messageView(sessionId: string, message: Message, keeper: KeeperClient): Promise<MessageView> {
  const { id, role, data, type, summary, hidden, createdAt, screenshotRef } = message;
  const screenshotUrl =
    screenshotRef === null ? null : await keeper.presignRef(screenshotRef, SCREENSHOT_LIFE_SECONDS).catch(() => null);
  return { id, sessionId, role, data, type, summary, screenshotUrl, hidden, createdAt };
}
