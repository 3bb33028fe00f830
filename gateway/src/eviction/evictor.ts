import type { BrowserPool } from '@podwright/api/kinds/pool';
import type { BrowserSession } from '@podwright/api/kinds/session';
import { FIELD_MANAGER } from '@podwright/api/names';
import { TERMINAL_RUN_STATES } from '@podwright/api/run';
import { applyStatus } from '@podwright/kube/apply-status';
import type { Client } from '@podwright/kube/client';
import { RESOURCE } from '@podwright/kube/resource';
import type { Conversations } from '@podwright/runs/conversations';
import type { Logger } from 'pino';
import type { PodClient } from '../pod-client.ts';
import type { SessionCache } from '../sessions/session-cache.ts';
import { readyPodOf } from '../sessions/session-state.ts';
import type { SessionStopper } from '../sessions/stop-session.ts';
import { askAt, idleTimeoutOf } from './decide-eviction.ts';

/**
 * Ends browsers that nobody uses. The pod is the truth: at the deadline it is asked, and it answers "idle, and refusing
 * new work" or "busy" in one step. Whatever cannot be found out, about the pod or the run, leaves the session alone.
 */
export interface Evictor {
  /** Looks at the session with this UID; says when to look again. */
  look(uid: string): Promise<{ at?: number }>;
}

/** After a question that could not be answered. */
const RETRY_MS = 30_000;

export function createEvictor(options: {
  client: Client;
  cache: SessionCache;
  pods: PodClient;
  conversations: Conversations;
  stopper: SessionStopper;
  findPool: (namespace: string, name: string) => BrowserPool | undefined;
  assertHeld: () => void;
  log: Logger;
  now: () => number;
}): Evictor {
  const { client, cache, pods, conversations, stopper, findPool, assertHeld, log, now } = options;
  const lastActive = new Map<string, number>();
  /** Not asked again before: a session changes more often than its pod needs to be asked. */
  const restUntil = new Map<string, number>();
  const rest = (uid: string): { at: number } => {
    const at = now() + RETRY_MS;
    restUntil.set(uid, at);
    return { at };
  };

  const isWorkedOn = async (session: BrowserSession): Promise<boolean> => {
    const conversationId = await conversations.findBySession(session.metadata.uid);
    const view = conversationId === null ? null : await conversations.get(conversationId);
    return view?.run?.request.sessionUid === session.metadata.uid && !TERMINAL_RUN_STATES.has(view.run.state);
  };

  const writeActivity = async (session: BrowserSession, at: number, timeout: number): Promise<void> => {
    const status = {
      lastActiveAt: new Date(at).toISOString(),
      idleDeadline: new Date(at + timeout).toISOString(),
    };
    assertHeld();
    const how = { fieldManager: FIELD_MANAGER.gatewayActivity };
    await applyStatus(client, RESOURCE.browserSessions, session, status, how);
  };

  return {
    async look(uid) {
      const session = cache.byUid(uid);
      const pod = session && readyPodOf(session);
      if (!session || !pod) {
        lastActive.delete(uid);
        restUntil.delete(uid);
        return {};
      }
      const pool = findPool(session.metadata.namespace ?? '', session.status?.poolName ?? '');
      const asked = askAt(session, pool, lastActive.get(uid) ?? null);
      if (asked === null) return {};
      const due = Math.max(asked, restUntil.get(uid) ?? 0);
      if (due > now()) return { at: due };
      // A run counts as use, even while its model thinks longer than the idle timeout.
      if (await isWorkedOn(session)) return rest(uid);

      const timeout = idleTimeoutOf(session, pool);
      const answer = await pods.quiesce(pod, uid, timeout).catch((error: unknown) => {
        log.info({ session: uid, err: error }, 'pod could not be asked whether it is idle');
        return null;
      });
      if (answer === null) return rest(uid);
      const at = Date.parse(answer.lastActiveAt);
      lastActive.set(uid, at);
      if (!answer.quiet) {
        await writeActivity(session, at, timeout);
        return { at: Math.max(at + timeout, now() + 1_000) };
      }
      // A task may have come between the question and its answer; the pod refuses work only for a while.
      if (await isWorkedOn(session)) return rest(uid);
      assertHeld();
      await stopper.stop(session, 'Idle', 'gateway');
      log.info({ session: uid, tenant: session.status?.tenant, lastActiveAt: answer.lastActiveAt }, 'evicted');
      return {};
    },
  };
}
