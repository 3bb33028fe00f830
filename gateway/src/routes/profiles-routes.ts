import type { FastifyInstance } from 'fastify';
import { UuidParams } from '@podwright/api/v3/common';
import { ListProfilesQuery, ProfileBody, ProfileList, ProfileView } from '@podwright/api/v3/profiles';
import { callerOf } from '../http/public-server.ts';
import { namesFor } from '../http/request-facts.ts';
import { requireScope } from '../identity/caller.ts';
import type { ProfileService } from '../profiles/profile-service.ts';

/** `/profiles` of the v2, v3 and v4 API. */
export function registerProfiles(app: FastifyInstance, parts: { profiles: ProfileService }): void {
  const { profiles } = parts;

  app.post<{ Body: ProfileBody }>(
    '/profiles',
    { schema: { body: ProfileBody, response: { 201: ProfileView } } },
    async (request, reply) => {
      const caller = callerOf(request);
      requireScope(caller, 'run', 'browse');
      return reply.status(201).send(await profiles.create(caller, request.body, namesFor(request, caller, 'profile')));
    },
  );
  app.get<{ Querystring: ListProfilesQuery }>(
    '/profiles',
    { schema: { querystring: ListProfilesQuery, response: { 200: ProfileList } } },
    async (request) => profiles.list(callerOf(request), request.query),
  );
  app.get<{ Params: UuidParams }>(
    '/profiles/:id',
    { schema: { params: UuidParams, response: { 200: ProfileView } } },
    async (request) => profiles.get(callerOf(request), request.params.id.toLowerCase()),
  );
  app.patch<{ Params: UuidParams; Body: ProfileBody }>(
    '/profiles/:id',
    { schema: { params: UuidParams, body: ProfileBody, response: { 200: ProfileView } } },
    async (request) => {
      const caller = callerOf(request);
      requireScope(caller, 'run', 'browse');
      return profiles.update(caller, request.params.id.toLowerCase(), request.body);
    },
  );
  app.delete<{ Params: UuidParams }>('/profiles/:id', { schema: { params: UuidParams } }, async (request, reply) => {
    const caller = callerOf(request);
    requireScope(caller, 'run', 'browse');
    await profiles.remove(caller, request.params.id.toLowerCase());
    return reply.status(204).send();
  });
}
