import { ApiError } from '@podwright/api/errors';
import type { BrowserSession } from '@podwright/api/kinds/session';
import type { SessionCache } from '../sessions/session-cache.ts';
import { type ReadyPod, isOpen, readyPodOf } from '../sessions/session-state.ts';

/** Clients give up connecting after about 30 s; they get an answer before. */
export const HOLD_MS = 25_000;

export interface Ready {
  pod: ReadyPod;
  session: BrowserSession;
}

/**
 * Holds until the pod of a session answers. Throws `gone` when the session has ended or ends meanwhile and
 * `not_ready_in_time` after HOLD_MS; rejects with the signal's reason when the client goes away.
 */
export async function waitReady(
  cache: SessionCache,
  target: { namespace: string; name: string; uid: string },
  gone: AbortSignal,
): Promise<Ready> {
  const session = await cache.read(target);
  if (!session) throw new ApiError('gone');
  const deadline = AbortSignal.timeout(HOLD_MS);
  try {
    return await cache.waitFor(target.uid, decide, AbortSignal.any([gone, deadline]));
  } catch (error) {
    if (deadline.aborted && !gone.aborted) throw new ApiError('not_ready_in_time');
    throw error;
  }
}

function decide(session: BrowserSession | undefined): Ready | undefined {
  if (!session || !isOpen(session)) throw new ApiError('gone');
  const pod = readyPodOf(session);
  return pod ? { pod, session } : undefined;
}
