import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { CDP_HIDDEN_TARGET_TYPE } from '@podwright/api/cdp-rules';
import { ApiError } from '@podwright/api/errors';
import { CLOSE } from '@podwright/api/pod-door';
import type { PodTokenClaims } from '@podwright/api/tokens';
import type { Browser } from '../browser/browser.ts';
import type { ChromiumHttp } from '../browser/chromium-http.ts';
import type { AttachRequest, Attachments } from '../cdp/attachments.ts';
import { openChromiumWebSocket } from '../cdp/chromium-handshake.ts';
import { isMethodName } from '../cdp/judge.ts';
import { type CdpTunnel, type CloseReason, createCdpTunnel } from '../cdp/tunnel.ts';
import type { Activity } from '../session/activity.ts';
import type { Counters } from '../session/counters.ts';
import { closeAtEnd } from './until.ts';

export interface CdpUpgrade {
  request: IncomingMessage;
  socket: Socket;
  head: Buffer;
  claims: PodTokenClaims;
  target: { kind: 'browser' } | { kind: 'page'; targetId: string };
  exclusive: boolean;
}

const HANDSHAKE_MS = 5000;

/** Serves CDP connections: one at a time or many, judged message by message. */
export function createCdpDoor(options: {
  chromium: ChromiumHttp;
  chromiumPort: number;
  browser: Browser;
  attachments: Attachments;
  activity: Activity;
  counters: Counters;
  now: () => number;
  log: Logger;
}): { serve(upgrade: CdpUpgrade): Promise<void> } {
  const { chromium, attachments, activity, counters, browser, now, log } = options;

  async function pathOf(target: CdpUpgrade['target']): Promise<string> {
    if (target.kind === 'browser') return chromium.browserPath();
    const list = (await chromium.ask('/json/list')) as { id?: unknown; type?: unknown }[];
    const known = list.some(({ id, type }) => id === target.targetId && type !== CDP_HIDDEN_TARGET_TYPE);
    if (!known) throw new ApiError('not_found', 'There is no such page.');
    return `/devtools/page/${target.targetId}`;
  }

  async function openChromium(target: CdpUpgrade['target'], key: string) {
    try {
      const path = await pathOf(target);
      const signal = AbortSignal.timeout(HANDSHAKE_MS);
      return await openChromiumWebSocket({ port: options.chromiumPort, path, key, signal });
    } catch (error) {
      throw error instanceof ApiError ? error : new ApiError('browser_unavailable', undefined, { cause: error });
    }
  }

  return {
    /** Throws ApiError before the upgrade was answered; afterwards it settles with the connection. */
    async serve({ request, socket, head, claims, target, exclusive }) {
      const key = request.headers['sec-websocket-key'];
      if (key === undefined || request.headers['sec-websocket-version'] !== '13') {
        throw new ApiError('bad_request', 'This is no WebSocket handshake of version 13.');
      }
      const refusal = activity.refusal();
      if (refusal !== undefined) throw new ApiError('unavailable', refusal);

      let tunnel: CdpTunnel | undefined;
      let endedEarly: CloseReason | undefined;
      const close = (reason: CloseReason): void => {
        endedEarly ??= reason;
        tunnel?.close(reason);
      };
      const asked: AttachRequest = {
        exclusive,
        holder: claims.run ?? claims.viewer ?? `client ${claims.tokenId.slice(0, 8)}`,
        ...(claims.run === undefined ? {} : { run: claims.run }),
        ...(claims.attempt === undefined ? {} : { attempt: claims.attempt }),
      };
      const decision = attachments.attach(asked, close);
      if (!decision.admit) {
        counters.add(`cdp_attach_${decision.refusal}`);
        throw new ApiError('exclusive_holder', refusalWords(decision.refusal, decision.holder));
      }
      const startedAt = now();
      let messages = 0;
      let refused = 0;
      let tookViewport = false;
      try {
        const opened = await openChromium(target, key);
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
            `Sec-WebSocket-Accept: ${opened.accept}\r\n\r\n`,
        );
        activity.touch();
        tunnel = createCdpTunnel({
          client: socket,
          clientHead: head,
          chromium: opened.socket,
          chromiumHead: opened.head,
          endpoint: target.kind,
          events: {
            refusal: activity.refusal,
            judged(verdict) {
              messages += 1;
              if (activity.refusal() === undefined) activity.touch();
              if (verdict.kind === 'answer') {
                refused += 1;
                counters.add(`cdp_refused_${isMethodName(verdict.method) ? verdict.method : 'invalid'}`);
              } else if (verdict.kind === 'close') counters.add('cdp_unreadable');
              else if (verdict.kind !== 'detach' && verdict.takesViewport) tookViewport = true;
            },
            lost: CLOSE.upstreamLost,
            broken: CLOSE.refused,
          },
        });
        if (endedEarly) tunnel.close(endedEarly);
        const stop = closeAtEnd(claims.until, now, () => tunnel?.close(CLOSE.expired));
        await tunnel.ended;
        stop();
      } finally {
        decision.attachment?.release();
      }
      log.info(
        { holder: asked.holder, exclusive, attempt: claims.attempt, messages, refused, ms: now() - startedAt },
        'CDP connection ended',
      );
      if (tookViewport) {
        await browser.viewport.reapply().catch((error: unknown) => log.warn({ err: error }, 'viewport not reapplied'));
      }
    },
  };
}

const refusalWords = (refusal: 'exclusive_holder' | 'stale_attempt', holder: string): string =>
  refusal === 'exclusive_holder'
    ? `Another client holds this browser: ${holder}.`
    : `A newer attempt of this run works here: ${holder}.`;
