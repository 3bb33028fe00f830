import type { FastifyInstance } from 'fastify';
import { ApiError } from '@podwright/api/errors';
import type { BrowserSession } from '@podwright/api/kinds/session';
import { UuidParams } from '@podwright/api/v3/common';
import { CreateTicketBody, TicketView } from '@podwright/api/v3/viewer';
import { type BrowserService, linkSession } from '../browsers/browser-service.ts';
import type { ConversationReader } from '../conversations/conversation-reader.ts';
import { callerOf } from '../http/public-server.ts';
import { type Caller, requireScope } from '../identity/caller.ts';
import type { Tickets } from '../links/tickets.ts';
import { isOpen } from '../sessions/session-state.ts';
import { viewUrl } from '../viewer/viewer-url.ts';

/** Viewer addresses that work once, for whoever does not want to store a reusable one. */
export function registerTickets(
  app: FastifyInstance,
  parts: { browsers: BrowserService; reader: ConversationReader; tickets: Tickets; publicUrl: string },
): void {
  const { browsers, reader, tickets, publicUrl } = parts;

  const issue = async (caller: Caller, session: BrowserSession, body: CreateTicketBody): Promise<TicketView> => {
    const mode = body?.mode ?? 'view';
    if (mode === 'control') requireScope(caller, 'control');
    else requireScope(caller, 'view', 'control');
    if (!isOpen(session)) throw new ApiError('session_ended');
    if (session.spec.viewer?.enabled === false) throw new ApiError('forbidden', 'This session has no viewer.');
    if (mode === 'control' && session.spec.viewer?.interactive === false) {
      throw new ApiError('forbidden', 'Viewers of this session only watch.');
    }
    const linkHash = await browsers.viewerLinkHash(caller, session, mode);
    const { token, expiresAt } = await tickets.issue(linkSession(caller, session), mode, linkHash);
    return { url: viewUrl(publicUrl, session.metadata.uid, token), mode, expiresAt };
  };
  const schema = { params: UuidParams, body: CreateTicketBody, response: { 201: TicketView } };

  app.post<{ Params: UuidParams; Body: CreateTicketBody }>(
    '/browsers/:id/viewer-tickets',
    { schema },
    async (request, reply) => {
      const caller = callerOf(request);
      const session = await browsers.find(caller, request.params.id.toLowerCase());
      return reply
        .status(201)
        .header('cache-control', 'no-store')
        .send(await issue(caller, session, request.body));
    },
  );
  app.post<{ Params: UuidParams; Body: CreateTicketBody }>(
    '/sessions/:id/viewer-tickets',
    { schema },
    async (request, reply) => {
      const caller = callerOf(request);
      const { conversation } = await reader.read(caller, request.params.id.toLowerCase());
      const session = await reader.browserOf(conversation);
      if (!session) throw new ApiError('session_ended');
      return reply
        .status(201)
        .header('cache-control', 'no-store')
        .send(await issue(caller, session, request.body));
    },
  );
}
