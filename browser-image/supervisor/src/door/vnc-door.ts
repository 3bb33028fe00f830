import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { WebSocketServer } from 'ws';
import { CLOSE } from '@podwright/api/pod-door';
import type { PodTokenClaims } from '@podwright/api/tokens';
import type { Activity } from '../session/activity.ts';
import type { CloseReason } from '../vnc/viewer.ts';
import { serveViewer } from '../vnc/viewer.ts';
import { closeAtEnd } from './until.ts';

/** A viewer sends keys and pointer moves; a paste of the largest allowed clipboard fits. */
const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;

export interface VncDoor {
  serve(upgrade: { request: IncomingMessage; socket: Socket; head: Buffer; claims: PodTokenClaims }): Promise<void>;
  closeAll(reason: CloseReason): void;
  /** Viewers connected now, by right. */
  readonly count: () => { view: number; control: number };
}

export function createVncDoor(options: {
  vncSocketPath: string;
  /** Viewers of this session may act at all. */
  interactive: () => boolean;
  activity: Activity;
  now: () => number;
  log: Logger;
}): VncDoor {
  const { activity, now, log } = options;
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MAX_MESSAGE_BYTES });
  const viewers = new Map<{ close(code: number, reason: string): void }, 'view' | 'control'>();

  return {
    async serve({ request, socket, head, claims }) {
      socket.setNoDelay(true);
      const { promise: opened, resolve } = Promise.withResolvers<Parameters<typeof serveViewer>[0]['viewer']>();
      // A handshake that `ws` refuses is answered by it, and leaves nothing to wait for.
      server.handleUpgrade(request, socket, head, resolve);
      const viewer = await opened;
      const right = claims.scope === 'control' && options.interactive() ? 'control' : 'view';
      const startedAt = now();
      viewers.set(viewer, right);
      const stop = closeAtEnd(claims.until, now, () => viewer.close(CLOSE.expired.code, CLOSE.expired.reason));
      await serveViewer({
        viewer,
        vncSocketPath: options.vncSocketPath,
        mayControl: () => right === 'control' && activity.refusal() === undefined,
        input: activity.touch,
        lost: CLOSE.upstreamLost,
        refused: CLOSE.refused,
      });
      stop();
      viewers.delete(viewer);
      log.info({ right, viewer: claims.viewer, ms: now() - startedAt }, 'viewer left');
    },
    closeAll({ code, reason }) {
      for (const viewer of viewers.keys()) viewer.close(code, reason);
    },
    count() {
      const rights = [...viewers.values()];
      const control = rights.filter((right) => right === 'control').length;
      return { view: rights.length - control, control };
    },
  };
}
