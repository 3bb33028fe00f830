import type { FastifyInstance } from 'fastify';
import {
  BrowserItem,
  BrowserList,
  BrowserView,
  CreateBrowserBody,
  DownloadList,
  ListBrowsersQuery,
  ListDownloadsQuery,
  PatchBrowserBody,
} from '@podwright/api/v3/browsers';
import { UuidParams } from '@podwright/api/v3/common';
import type { BrowserService } from '../browsers/browser-service.ts';
import type { Downloads } from '../browsers/downloads.ts';
import { callerOf } from '../http/public-server.ts';
import { namesFor, untilGone } from '../http/request-facts.ts';
import { requireScope } from '../identity/caller.ts';
import type { Links } from '../links/links.ts';
import type { CreateRate } from '../sessions/create-rate.ts';

/** `/browsers` of the v2, v3 and v4 API. */
export function registerBrowsers(
  app: FastifyInstance,
  parts: { browsers: BrowserService; downloads: Downloads; links: Links; rate: CreateRate },
): void {
  const { browsers, downloads, links, rate } = parts;

  app.post<{ Body: CreateBrowserBody | null }>(
    '/browsers',
    {
      schema: { body: CreateBrowserBody, response: { 201: BrowserItem } },
      preValidation: async (request) => {
        request.body ??= {};
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      requireScope(caller, 'browse');
      const names = namesFor(request, caller, 'browser');
      const { limit, remaining } = await rate.take(caller);
      reply.headers({ 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining });
      const made = await browsers.create(caller, request.body ?? {}, names, untilGone(reply));
      return reply.status(201).send(made);
    },
  );

  app.get<{ Querystring: ListBrowsersQuery }>(
    '/browsers',
    { schema: { querystring: ListBrowsersQuery, response: { 200: BrowserList } } },
    async (request) => browsers.list(callerOf(request), request.query),
  );

  app.get<{ Params: UuidParams }>(
    '/browsers/:id',
    { schema: { params: UuidParams, response: { 200: BrowserView } } },
    async (request) => {
      const caller = callerOf(request);
      return browsers.show(caller, await browsers.find(caller, request.params.id.toLowerCase()));
    },
  );

  app.patch<{ Params: UuidParams; Body: { action: 'stop' } }>(
    '/browsers/:id',
    { schema: { params: UuidParams, body: PatchBrowserBody, response: { 200: BrowserView } } },
    async (request) => {
      const caller = callerOf(request);
      requireScope(caller, 'browse', 'run');
      return browsers.stop(caller, await browsers.find(caller, request.params.id.toLowerCase()));
    },
  );

  app.get<{ Params: UuidParams; Querystring: ListDownloadsQuery }>(
    '/browsers/:id/downloads',
    { schema: { params: UuidParams, querystring: ListDownloadsQuery, response: { 200: DownloadList } } },
    async (request) => {
      const caller = callerOf(request);
      const session = await browsers.find(caller, request.params.id.toLowerCase());
      return downloads.list(caller.tenant, session, request.query);
    },
  );

  // Beyond the original: every address given out so far ends, and the next answer carries new ones.
  app.delete<{ Params: UuidParams }>(
    '/browsers/:id/links',
    { schema: { params: UuidParams } },
    async (request, reply) => {
      const caller = callerOf(request);
      requireScope(caller, 'browse', 'run');
      const session = await browsers.find(caller, request.params.id.toLowerCase());
      await links.revoke(session.metadata.uid);
      return reply.status(204).send();
    },
  );
}
