import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '@podwright/api/errors';
import type { Logger } from 'pino';
import { errorReply } from '../http/error-reply.ts';
import type { Links } from '../links/links.ts';
import type { ViewerDoor } from '../viewer/viewer-door.ts';
import { podSocketPath } from './cdp-urls.ts';
import { refuseUpgrade } from './handshake.ts';
import type { TunnelOpener, TunnelWish } from './tunnel-opener.ts';

const CDP_PATH = /^\/cdp\/([0-9a-f-]{36})\/([A-Za-z0-9_-]{16,128})(\/.*)?$/;
const VIEW_PATH = /^\/view\/([0-9a-f-]{36})\/ws$/;

/** Every WebSocket of the public server passes here: who may, to which door, and what is said when not. */
export function installUpgradeDoor(options: {
  server: Server;
  /** Path of the public URL, when it has one; it is stripped. */
  basePath: string;
  links: Links;
  viewers: ViewerDoor;
  opener: TunnelOpener;
  isDraining: () => boolean;
  log: Logger;
}): void {
  const { server, basePath, links, viewers, opener, isDraining, log } = options;

  const wishOf = async (request: IncomingMessage): Promise<TunnelWish> => {
    const text = request.url ?? '/';
    // A URL that cannot be read would throw with the whole of it, and it may hold a link.
    if (!URL.canParse(text, 'http://gateway')) throw new ApiError('bad_request');
    const url = new URL(text, 'http://gateway');
    const pathname = url.pathname.startsWith(basePath) ? url.pathname.slice(basePath.length) : url.pathname;
    const cdp = CDP_PATH.exec(pathname);
    if (cdp) {
      const [, uid = '', token = '', rest = ''] = cdp;
      const path = podSocketPath(rest, url.searchParams);
      if (path === null) throw new ApiError('not_found');
      const record = await links.resolve(token);
      if (record.kind !== 'cdp' || record.uid !== uid) throw new ApiError('unauthorized', 'This address is not valid.');
      return { session: record, kind: 'cdp', linkHash: record.hash, path };
    }
    const view = VIEW_PATH.exec(pathname);
    if (view) return viewers.admitSocket(request, view[1] ?? '');
    throw new ApiError('not_found');
  };

  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const requestId = crypto.randomUUID();
    const startedAt = performance.now();
    socket.on('error', () => socket.destroy());
    socket.setNoDelay(true);
    socket.setTimeout(0);
    // Bytes a hasty client sent before its handshake was answered belong to the tunnel.
    if (head.length > 0) socket.unshift(head);

    const admit = async (): Promise<void> => {
      if (isDraining())
        throw new ApiError('unavailable', 'This replica is going away, connect again.', { retryAfter: 1 });
      const wish = await wishOf(request);
      await opener.open(wish, request, socket);
      const ms = Math.round(performance.now() - startedAt);
      log.info({ requestId, kind: wish.kind, session: wish.session.uid, tenant: wish.session.tenant, ms }, 'tunnel');
    };
    admit().catch((error: unknown) => {
      if (socket.destroyed) return;
      const reply = errorReply(error, requestId);
      if (reply.unexpected) log.error({ err: error, requestId }, 'bug in an upgrade');
      else log.info({ requestId, code: reply.code, status: reply.status }, 'upgrade refused');
      refuseUpgrade(socket, reply);
    });
  });
}
