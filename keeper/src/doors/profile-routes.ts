import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { ApiError } from '@podwright/api/errors';
import { ProfileLoadRequest, type ProfileLoadResponse } from '@podwright/api/internal-doors';
import { STORAGE_STATE_MAX_BYTES } from '@podwright/api/storage-state';
import type { PodAddress, PodDoorClient } from '../collect/pod-door-client.ts';
import type { ProfileKeeper } from '../profiles/profile-keeper.ts';
import type { ProfileName } from '../profiles/profile-objects.ts';

/** A pod takes 15 s of it for putting the state in. */
const LOAD_DEADLINE_MS = 25_000;
const params = Type.Object({ namespace: Type.String(), name: Type.String() });
const Uid = Type.Object({ uid: Type.String({ pattern: '^[0-9a-fA-F-]{36}$' }) });
/** What a pod is given that starts clean: it waits for a state before it opens its first page. */
const NOTHING = Buffer.from('{"cookies":[],"origins":[]}');

/** `/profiles/...`: login states into pods, in and out for people, and away. */
export function addProfileRoutes(
  server: FastifyInstance,
  options: { profiles: ProfileKeeper; pod: (address: PodAddress) => PodDoorClient },
): void {
  const { profiles } = options;

  server.post<{ Body: ProfileLoadRequest }>(
    '/profiles/load',
    { config: { callers: ['operator'], deadlineMs: LOAD_DEADLINE_MS }, schema: { body: ProfileLoadRequest } },
    async ({ body, stop }): Promise<ProfileLoadResponse> => {
      const id = { namespace: body.namespace, name: body.profile };
      const saved = await profiles.stateFor(id, stop);
      const missing = await options.pod(body).loadProfile(saved.outcome === 'Loaded' ? saved.state : NOTHING, stop);
      await profiles.touch(id, stop);
      if (saved.outcome === 'Empty') {
        return { outcome: 'Empty', version: null, capturedAt: null, expiresAt: null, missing };
      }
      const { outcome, version, capturedAt, expiresAt } = saved;
      return { outcome, version, capturedAt, expiresAt, missing };
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
        const { version, sizeBytes, cookieDomains } = await profiles.importState(id, body, stop);
        return { version, sizeBytes, cookieDomains };
      },
    );
  });

  server.get<{ Params: ProfileName }>(
    '/profiles/:namespace/:name/state',
    { config: { callers: ['gateway'] }, schema: { params } },
    async ({ params: id, stop }, reply) => {
      const saved = await profiles.stateFor(id, stop);
      if (saved.outcome === 'Empty') throw new ApiError('not_found', 'Nothing was saved in this profile yet.');
      if (saved.outcome === 'Expired') throw new ApiError('gone', `What was saved expired at ${saved.expiresAt}.`);
      return reply.type('application/json').header('cache-control', 'no-store').send(saved.state);
    },
  );

  server.delete<{ Params: ProfileName; Querystring: Static<typeof Uid> }>(
    '/profiles/:namespace/:name',
    { config: { callers: ['operator'], deadlineMs: LOAD_DEADLINE_MS }, schema: { params, querystring: Uid } },
    async ({ params: id, query: { uid }, stop }, reply) => {
      await profiles.remove({ ...id, uid }, stop);
      return reply.code(204).send();
    },
  );
}
