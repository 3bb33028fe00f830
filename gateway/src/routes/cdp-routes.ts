import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '@podwright/api/errors';
import { Type } from 'typebox';
import { untilGone } from '../http/request-facts.ts';
import type { Links } from '../links/links.ts';
import type { PodClient } from '../pod-client.ts';
import type { SessionCache } from '../sessions/session-cache.ts';
import { rewriteTarget, rewriteTargets, rewriteVersion, socketBase } from '../tunnel/cdp-urls.ts';
import { waitReady } from '../tunnel/wait-ready.ts';

const CdpParams = Type.Object({
  uid: Type.String({ format: 'uuid' }),
  link: Type.String({ pattern: '^[A-Za-z0-9_-]{16,128}$' }),
});
type CdpParams = { uid: string; link: string };

/** Discovery on a CDP address: the link in the path is the permission, and the answer waits until the browser is there. */
export function registerCdp(
  app: FastifyInstance,
  parts: { links: Links; cache: SessionCache; pods: PodClient; publicUrl: string; trustProxy: boolean },
): void {
  const { links, cache, pods, publicUrl, trustProxy } = parts;

  const ask = async (
    request: FastifyRequest,
    gone: AbortSignal,
    method: 'GET' | 'PUT',
    path: string,
  ): Promise<unknown> => {
    const { uid, link } = request.params as CdpParams;
    const record = await links.resolve(link);
    if (record.kind !== 'cdp' || record.uid !== uid) throw new ApiError('unauthorized', 'This address is not valid.');
    const { pod } = await waitReady(cache, record, gone);
    return pods.cdpJson(pod, uid, method, path);
  };
  const baseOf = (request: FastifyRequest): string => {
    const { uid, link } = request.params as CdpParams;
    const { pathname } = new URL(publicUrl);
    const proto = trustProxy ? request.headers['x-forwarded-proto'] : undefined;
    return socketBase({
      host: request.headers.host ?? new URL(publicUrl).host,
      publicUrl,
      forwardedProto: Array.isArray(proto) ? proto[0] : proto,
      prefix: `${pathname === '/' ? '' : pathname}/cdp/${uid}/${link}`,
    });
  };

  const schema = { params: CdpParams };
  app.get('/cdp/:uid/:link/json/version', { schema }, async (request, reply) =>
    rewriteVersion(await ask(request, untilGone(reply), 'GET', '/json/version'), baseOf(request)),
  );
  for (const path of ['/json', '/json/list']) {
    app.get(`/cdp/:uid/:link${path}`, { schema }, async (request, reply) =>
      rewriteTargets(await ask(request, untilGone(reply), 'GET', '/json/list'), baseOf(request)),
    );
  }
  app.put('/cdp/:uid/:link/json/new', { schema }, async (request, reply) => {
    const query = /\?(.*)$/.exec(request.raw.url ?? '')?.[0] ?? '';
    return rewriteTarget(await ask(request, untilGone(reply), 'PUT', `/json/new${query}`), baseOf(request));
  });
}
