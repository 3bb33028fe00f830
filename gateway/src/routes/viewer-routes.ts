import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from '@podwright/api/errors';
import type { BrowserTenant } from '@podwright/api/kinds/tenant';
import { SetViewportBody, ViewerGrant, ViewerState } from '@podwright/api/v3/viewer';
import { ViewportResponse } from '@podwright/api/pod-door';
import type { Conversations } from '@podwright/runs/conversations';
import { Type } from 'typebox';
import type { PodClient } from '../pod-client.ts';
import type { SessionCache } from '../sessions/session-cache.ts';
import { readyPodOf } from '../sessions/session-state.ts';
import { socketOriginOf, viewerHeaders } from '../viewer/security-headers.ts';
import type { Asset } from '../viewer/viewer-assets.ts';
import type { ViewerDoor } from '../viewer/viewer-door.ts';
import { viewerState } from '../viewer/viewer-state.ts';

const UidParams = Type.Object({ uid: Type.String({ format: 'uuid' }) });
type UidParams = { uid: string };
const PageParams = Type.Object({
  uid: Type.String({ format: 'uuid' }),
  token: Type.String({ pattern: '^[A-Za-z0-9_-]{16,128}$' }),
});
const GrantBody = Type.Object({ token: Type.String({ minLength: 16, maxLength: 128 }) });

/** Code of the page does not change while a version runs, and holds no secret. */
const ASSET_CACHE = 'public, max-age=300';

/** The viewer: its page, and what the page asks for with its credential. */
export function registerViewer(
  app: FastifyInstance,
  parts: {
    door: ViewerDoor;
    assets: ReadonlyMap<string, Asset>;
    cache: SessionCache;
    conversations: Conversations;
    pods: PodClient;
    findTenant: (namespace: string) => BrowserTenant | undefined;
    frameAncestors: readonly string[];
    publicUrl: string;
  },
): void {
  const { door, assets, cache, conversations, pods, findTenant, publicUrl } = parts;
  const socketOrigin = socketOriginOf(publicUrl);
  const plain = viewerHeaders({ frameAncestors: parts.frameAncestors, socketOrigin });

  const ancestorsOf = (uid: string): readonly string[] => {
    const namespace = cache.byUid(uid)?.metadata.namespace;
    const own = namespace === undefined ? undefined : findTenant(namespace)?.spec.frameAncestors;
    return own ?? parts.frameAncestors;
  };
  const sendAsset = (reply: FastifyReply, name: string): FastifyReply => {
    const asset = assets.get(name);
    if (!asset) throw new ApiError('not_found');
    return reply.headers({ 'content-type': asset.type, etag: asset.etag }).send(asset.bytes);
  };

  // The page is the same for every link, also for a wrong one: it learns only from its trade what the link is worth.
  app.get<{ Params: { uid: string; token: string } }>(
    '/view/:uid/:token',
    { schema: { params: PageParams } },
    async (request, reply) =>
      sendAsset(
        reply.headers(viewerHeaders({ frameAncestors: ancestorsOf(request.params.uid), socketOrigin })),
        'page/index.html',
      ),
  );
  app.get<{ Params: { '*': string } }>('/viewer-assets/*', async (request, reply) =>
    sendAsset(reply.headers({ ...plain, 'cache-control': ASSET_CACHE }), request.params['*']),
  );

  app.post<{ Params: UidParams; Body: { token: string } }>(
    '/view/:uid/grant',
    { schema: { params: UidParams, body: GrantBody, response: { 200: ViewerGrant } } },
    async (request, reply): Promise<ViewerGrant> => {
      reply.headers(plain);
      const { credential, session, mode } = await door.trade(
        request.params.uid,
        request.body.token,
        request.headers.host,
      );
      const viewport = cache.byUid(session.uid)?.spec.viewport ?? null;
      return { credential, sessionId: session.uid, mode, viewport };
    },
  );
  app.get<{ Params: UidParams }>(
    '/view/:uid/state',
    { schema: { params: UidParams, response: { 200: ViewerState } } },
    async (request, reply) => {
      reply.headers(plain);
      const credential = await door.check(request.params.uid, request.headers);
      const session = await cache.read(credential);
      const conversationId = await conversations.findBySession(credential.uid);
      const view = conversationId === null ? null : await conversations.get(conversationId);
      const run = view?.conversation.sessionUid === credential.uid ? view.run : null;
      return viewerState(session, run);
    },
  );
  app.post<{ Params: UidParams }>('/view/:uid/presence', { schema: { params: UidParams } }, async (request, reply) => {
    reply.headers(plain);
    const credential = await door.check(request.params.uid, request.headers);
    const pod = podOf(credential.uid);
    await pods.activity(pod, credential.uid, 'presence');
    return reply.status(204).send();
  });
  app.put<{ Params: UidParams; Body: SetViewportBody }>(
    '/view/:uid/viewport',
    { schema: { params: UidParams, body: SetViewportBody, response: { 200: ViewportResponse } } },
    async (request, reply) => {
      reply.headers(plain);
      const credential = await door.check(request.params.uid, request.headers);
      if (credential.mode !== 'control') throw new ApiError('forbidden', 'This viewer only watches.');
      return pods.setViewport(podOf(credential.uid), credential.uid, credential.viewer, request.body);
    },
  );

  function podOf(uid: string) {
    const session = cache.byUid(uid);
    const pod = session === undefined ? null : readyPodOf(session);
    if (!pod) throw new ApiError('browser_unavailable', 'The browser is not there at the moment.');
    return pod;
  }
}
