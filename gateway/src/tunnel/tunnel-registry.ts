import type { CloseReason } from './splice.ts';

export const TUNNEL_KINDS = ['cdp', 'view', 'control'] as const;
export type TunnelKind = (typeof TUNNEL_KINDS)[number];

/** One open tunnel of this replica. */
export interface OpenTunnel {
  sessionUid: string;
  kind: TunnelKind;
  /** Hash of the link it was opened with; null for one opened with a ticket. */
  linkHash: string | null;
  close(reason: CloseReason): void;
  ended: Promise<void>;
}

/** The tunnels that stand on this replica. They need nothing but their two sockets, so they outlive Redis and the API server. */
export interface TunnelRegistry {
  /** Takes it until it ends. */
  add(tunnel: OpenTunnel): void;
  closeSession(sessionUid: string, reason: CloseReason): void;
  closeLink(linkHash: string, reason: CloseReason): void;
  closeAll(reason: CloseReason): Promise<void>;
  count: (kind: TunnelKind) => number;
  ofSession(sessionUid: string): number;
}

export function createTunnelRegistry(): TunnelRegistry {
  const tunnels = new Set<OpenTunnel>();
  const closeWhere = (matches: (tunnel: OpenTunnel) => boolean, reason: CloseReason): OpenTunnel[] => {
    const chosen = [...tunnels].filter(matches);
    for (const tunnel of chosen) tunnel.close(reason);
    return chosen;
  };
  return {
    add(tunnel) {
      tunnels.add(tunnel);
      void tunnel.ended.then(() => tunnels.delete(tunnel));
    },
    closeSession(sessionUid, reason) {
      closeWhere((tunnel) => tunnel.sessionUid === sessionUid, reason);
    },
    closeLink(linkHash, reason) {
      closeWhere((tunnel) => tunnel.linkHash === linkHash, reason);
    },
    async closeAll(reason) {
      await Promise.all(closeWhere(() => true, reason).map((tunnel) => tunnel.ended));
    },
    count: (kind) => [...tunnels].filter((tunnel) => tunnel.kind === kind).length,
    ofSession: (sessionUid) => [...tunnels].filter((tunnel) => tunnel.sessionUid === sessionUid).length,
  };
}
