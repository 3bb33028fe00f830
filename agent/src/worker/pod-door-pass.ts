import { readFile } from 'node:fs/promises';
import { PodTokenResponse } from '@podwright/api/internal-doors';
import type { RunRequest } from '@podwright/api/run';
import { Value } from 'typebox/value';
import { type DoorPass, SessionGoneError } from '../loop/browser-link.ts';

const DEADLINE_MS = 5_000;

/**
 * Asks the gateway for a token that opens the CDP door of the run's pod for this attempt. Throws SessionGoneError when
 * the session has ended or is another one. The rest is tried again: an attempt that is not the current one any more learns
 * it from its heartbeat.
 */
export function createDoorClient(options: { gatewayUrl: string; tokenFile: string }) {
  return async (request: RunRequest, attempt: number, signal: AbortSignal): Promise<DoorPass> => {
    const { runId, conversationId } = request;
    const response = await fetch(`${options.gatewayUrl}/internal/pod-tokens`, {
      method: 'POST',
      headers: { ...(await authorization(options.tokenFile)), 'content-type': 'application/json' },
      body: JSON.stringify({ runId, conversationId, attempt, scope: 'cdp' }),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
    });
    if (response.status === 404 || response.status === 409 || response.status === 410) {
      await response.body?.cancel();
      throw new SessionGoneError('The browser session has ended.');
    }
    const body: unknown = response.ok ? await response.json() : await response.body?.cancel();
    if (!Value.Check(PodTokenResponse, body)) throw new Error(`the gateway gives no pod token (${response.status})`);
    if (body.sessionUid !== request.sessionUid) throw new SessionGoneError('The browser session is another one now.');
    return {
      endpoint: `${body.doorUrl.replace(/^http/, 'ws')}/cdp`,
      headers: { authorization: `Bearer ${body.token}` },
      podUid: body.podUid,
    };
  };
}

/** The token is rotated on disk; it is read for each request. */
export async function authorization(tokenFile: string): Promise<{ authorization: string }> {
  return { authorization: `Bearer ${(await readFile(tokenFile, 'utf8')).trim()}` };
}
