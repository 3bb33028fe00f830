import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { CLOSE } from '@podwright/api/pod-door';
import type { Signer } from '@podwright/api/tokens';
import type { LinkSession } from '../links/links.ts';
import type { SessionCache } from '../sessions/session-cache.ts';
import { closeReasonOf, isOpen } from '../sessions/session-state.ts';
import { acceptUpgrade } from './handshake.ts';
import { dialPod } from './pod-dialer.ts';
import { type CloseReason, splice } from './splice.ts';
import type { TunnelKind, TunnelRegistry } from './tunnel-registry.ts';
import { waitReady } from './wait-ready.ts';

/** A tunnel that was allowed: whose pod, which door of it, and how it shall be known. */
export interface TunnelWish {
  session: LinkSession;
  kind: TunnelKind;
  linkHash: string | null;
  /** Path of the pod's door. */
  path: string;
  /** Chosen WebSocket subprotocol. */
  protocol?: string;
  viewer?: string;
}

/** Joins a client that may connect to the pod of its session. */
export interface TunnelOpener {
  /** Holds until the pod answers. Resolves when the tunnel stands; throws before that, with nothing written to the client. */
  open(wish: TunnelWish, request: IncomingMessage, client: Socket): Promise<void>;
}

export function createTunnelOpener(options: {
  cache: SessionCache;
  signer: Signer;
  tunnels: TunnelRegistry;
  onBytes: (kind: TunnelKind, direction: 'in' | 'out', bytes: number) => void;
}): TunnelOpener {
  const { cache, signer, tunnels, onBytes } = options;

  /** Why a pod's side broke: the session's own end says more than the broken connection. */
  const whyLost = (uid: string): CloseReason => {
    const session = cache.byUid(uid);
    if (!session) return CLOSE.ended;
    return isOpen(session) ? CLOSE.upstreamLost : closeReasonOf(session);
  };

  return {
    async open(wish, request, client) {
      const { session: target, kind, linkHash, protocol } = wish;
      const gone = new AbortController();
      const leave = (): void => gone.abort(new Error('the client went away'));
      client.once('close', leave);
      const { pod, session } = await waitReady(cache, target, gone.signal);
      const { expiresAt } = session.status ?? {};
      const token = await signer.sign(pod.podUid, {
        scope: kind,
        subject: target.uid,
        ...(expiresAt === undefined ? {} : { until: Math.ceil(Date.parse(expiresAt) / 1000) }),
        ...(wish.viewer === undefined ? {} : { viewer: wish.viewer }),
      });
      const { upstream, headers } = await dialPod({
        pod,
        path: wish.path,
        token,
        client: request.headers,
        signal: gone.signal,
        ...(protocol === undefined ? {} : { protocol }),
      });
      client.off('close', leave);
      if (client.destroyed) {
        upstream.destroy();
        return;
      }
      acceptUpgrade(client, headers, protocol);
      const joined = splice({
        client,
        upstream,
        whenLost: () => whyLost(target.uid),
        onBytes: (direction, bytes) => onBytes(kind, direction, bytes),
      });
      tunnels.add({
        sessionUid: target.uid,
        kind,
        linkHash,
        close: (reason) => joined.close(reason),
        ended: joined.ended,
      });
    },
  };
}
