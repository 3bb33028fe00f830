import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { ApiError } from '@podwright/api/errors';
import { ProfileLoadRequest } from '@podwright/api/internal-doors';
import { STORAGE_STATE_MAX_BYTES } from '@podwright/api/storage-state';
import type { PodAddress, PodDoorClient } from '../collect/pod-door-client.ts';
import type { ProfileKeeper, ProfileName } from '../profiles/profile-keeper.ts';

const LOAD_DEADLINE_MS = 20_000;
const params = Type.Object({ namespace: Type.String(), name: Type.String() });

/** `/profiles/...`: login states into pods, in and out for people, and away. */
export function addProfileRoutes(
  server: FastifyInstance,
  options: { profiles: ProfileKeeper; pod: (address: PodAddress) => PodDoorClient },
): void {
  const { profiles } = options;

  server.post<{ Body: ProfileLoadRequest }>(
    '/profiles/load',
    { config: { callers: ['operator'], deadlineMs: LOAD_DEADLINE_MS }, schema: { body: ProfileLoadRequest } },
    async ({ body, stop }, reply) => {
      const id = { namespace: body.namespace, name: body.profile };
      const state = await profiles.stateFor(id, stop);
      // A new profile is empty: there is nothing to push, and the pod starts clean.
      if (state) await options.pod(body).loadProfile(state, stop);
      await profiles.touch(id, stop);
      return reply.code(204).send();
    },
  );

  // The state is measured before it is parsed, so this door takes the bytes as they are.
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.put<{ Params: ProfileName; Body: Buffer }>(
      '/profiles/:namespace/:name/state',
      { config: { callers: ['gateway'] }, schema: { params }, bodyLimit: STORAGE_STATE_MAX_BYTES },
      async ({ params: id, body, stop }) => {
        const pointer = await profiles.importState(id, body, stop);
        return { version: pointer.version, sizeBytes: pointer.sizeBytes, cookieDomains: pointer.cookieDomains };
      },
    );
  });

  server.get<{ Params: ProfileName }>(
    '/profiles/:namespace/:name/state',
    { config: { callers: ['gateway'] }, schema: { params } },
    async ({ params: id, stop }, reply) => {
      const state = await profiles.stateFor(id, stop);
      if (!state) throw new ApiError('not_found', 'Nothing was saved in this profile yet.');
      return reply.type('application/json').header('cache-control', 'no-store').send(state);
    },
  );

  server.delete<{ Params: ProfileName }>(
    '/profiles/:namespace/:name',
    { config: { callers: ['operator'], deadlineMs: LOAD_DEADLINE_MS }, schema: { params } },
    async ({ params: id, stop }, reply) => {
      await profiles.remove(id, stop);
      return reply.code(204).send();
    },
  );
}
