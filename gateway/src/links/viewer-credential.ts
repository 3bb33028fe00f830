import type { ViewerMode } from '@podwright/api/v3/viewer';
import type { LinkSession } from './links.ts';
import type { GatewaySecret } from './secret.ts';

/**
 * What a viewer page holds in memory after it traded its link or ticket. Signed, not stored; sent as WebSocket
 * subprotocol and in the Authorization header, so its alphabet is that of an HTTP token.
 */
export interface ViewerCredential extends LinkSession {
  mode: ViewerMode;
  /** Link it came from, itself or by a ticket: revoking the link ends it. Null only of tickets that name none. */
  linkHash: string | null;
  /** Shown to other viewers as holder of the size, and counted as one viewer. */
  viewer: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** Subprotocol by which the page offers its credential. */
export const CREDENTIAL_PROTOCOL = 'podwright.';

export function sealCredential(secret: GatewaySecret, credential: ViewerCredential): string {
  const body = Buffer.from(JSON.stringify(credential)).toString('base64url');
  return `${body}.${secret.mac('viewer', body)}`;
}

/** Null when it was not sealed by this installation or has run out. */
export function openCredential(secret: GatewaySecret, text: string, now: number): ViewerCredential | null {
  const [body = '', mac = '', ...rest] = text.split('.');
  if (rest.length > 0 || !secret.isMac('viewer', body, mac)) return null;
  const credential = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as ViewerCredential;
  return credential.expiresAt > now ? credential : null;
}
