import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ApiError } from '@podwright/api/errors';
import type { ViewerMode } from '@podwright/api/v3/viewer';
import type { LinkSession, Links } from '../links/links.ts';
import type { GatewaySecret } from '../links/secret.ts';
import { TICKET_PREFIX, type Tickets } from '../links/tickets.ts';
import {
  CREDENTIAL_PROTOCOL,
  type ViewerCredential,
  openCredential,
  sealCredential,
} from '../links/viewer-credential.ts';
import type { SessionCache } from '../sessions/session-cache.ts';
import { isOpen } from '../sessions/session-state.ts';
import type { TunnelWish } from '../tunnel/tunnel-opener.ts';

/** Lets viewers in: a link or ticket for a credential, and a credential for everything else. */
export interface ViewerDoor {
  /** Trades the text in the page's address. Throws `unauthorized`, `gone` or `ticket_used`. */
  trade(
    sessionUid: string,
    token: string,
    host: string | undefined,
  ): Promise<{ credential: string; session: LinkSession; mode: ViewerMode }>;
  /** Checks the credential of a request of the page. Throws `unauthorized` or `gone`. */
  check(sessionUid: string, headers: IncomingHttpHeaders): Promise<ViewerCredential>;
  /** The same for the page's WebSocket, whose Origin and Host must be ours too. */
  admitSocket(request: IncomingMessage, sessionUid: string): Promise<TunnelWish>;
}

/** A page left open overnight asks for its address again. */
const CREDENTIAL_LIFE_MS = 12 * 3600_000;
/** Subprotocol of RFB over WebSocket, chosen beside the credential. */
const RFB_PROTOCOL = 'binary';

export function createViewerDoor(options: {
  links: Links;
  tickets: Tickets;
  secret: GatewaySecret;
  cache: SessionCache;
  /** `host[:port]` values under which the viewer may be opened. */
  hosts: ReadonlySet<string>;
  now: () => number;
}): ViewerDoor {
  const { links, tickets, secret, cache, hosts, now } = options;

  const identify = async (sessionUid: string, token: string) => {
    if (token.startsWith(TICKET_PREFIX)) {
      const ticket = await tickets.use(token);
      const { mode, linkHash = null } = ticket;
      if (ticket.uid !== sessionUid) throw new ApiError('gone');
      if (linkHash !== null && !(await links.stands(linkHash))) throw new ApiError('gone');
      return { session: ticket, mode, linkHash };
    }
    const record = await links.resolve(token);
    if (record.kind === 'cdp' || record.uid !== sessionUid)
      throw new ApiError('unauthorized', 'This address is not valid.');
    return { session: record, mode: record.kind, linkHash: record.hash };
  };

  const checkText = async (sessionUid: string, text: string | undefined): Promise<ViewerCredential> => {
    const credential = text === undefined ? null : openCredential(secret, text, now());
    if (!credential || credential.uid !== sessionUid) throw new ApiError('unauthorized', 'Open the viewer again.');
    if (credential.linkHash !== null && !(await links.stands(credential.linkHash))) throw new ApiError('gone');
    return credential;
  };

  return {
    async trade(sessionUid, token, host) {
      // Before a ticket is spent: its picture would be refused under this name.
      if (!hosts.has(host ?? '')) throw new ApiError('forbidden', 'The viewer is not served under this name.');
      const { session, mode, linkHash } = await identify(sessionUid, token);
      const { uid, name, namespace, tenant } = session;
      const object = await cache.read({ namespace, name, uid });
      if (!object) throw new ApiError('gone');
      // What the session allows is asked for now, not when the link was made.
      const granted = object.spec.viewer?.interactive === false ? 'view' : mode;
      const credential = sealCredential(secret, {
        uid,
        name,
        namespace,
        tenant,
        mode: granted,
        linkHash,
        viewer: crypto.randomUUID(),
        expiresAt: now() + CREDENTIAL_LIFE_MS,
      });
      return { credential, session: { uid, name, namespace, tenant }, mode: granted };
    },

    check: (sessionUid, headers) => checkText(sessionUid, /^Viewer (\S+)$/.exec(headers.authorization ?? '')?.[1]),

    async admitSocket(request, sessionUid) {
      const { host = '', origin = '' } = request.headers;
      if (!hosts.has(host)) throw new ApiError('forbidden', 'The viewer is not served under this name.');
      if (!hosts.has(hostOf(origin))) throw new ApiError('forbidden', 'The viewer is not opened from this origin.');
      const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
      const text = offered.find((name) => name.startsWith(CREDENTIAL_PROTOCOL))?.slice(CREDENTIAL_PROTOCOL.length);
      const credential = await checkText(sessionUid, text);
      const session = cache.byUid(sessionUid);
      if (session && !isOpen(session)) throw new ApiError('gone');
      return {
        session: credential,
        kind: credential.mode,
        linkHash: credential.linkHash,
        path: '/vnc',
        protocol: RFB_PROTOCOL,
        viewer: credential.viewer,
      };
    },
  };
}

function hostOf(origin: string): string {
  try {
    return new URL(origin).host;
  } catch {
    return '';
  }
}
