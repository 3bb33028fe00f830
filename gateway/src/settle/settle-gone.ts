import { TERMINAL_RUN_STATES } from '@podwright/api/run';
import type { Attempts } from '@podwright/runs/attempts';
import type { Conversations } from '@podwright/runs/conversations';
import type { WaitingLine } from '@podwright/runs/waiting-line';
import { readEcho } from '../conversations/echo.ts';
import type { CostLedger } from '../metering/cost-ledger.ts';
import type { SessionCache } from '../sessions/session-cache.ts';

/** Settles what a session left behind whose object is gone: nothing may wait for it for ever. */
export type SettleGone = (uid: string) => Promise<{ at?: number }>;

export function createSettleGone(options: {
  cache: SessionCache;
  conversations: Conversations;
  attempts: Attempts;
  waitingLine: WaitingLine;
  ledger: CostLedger;
  now: () => number;
}): SettleGone {
  const { cache, conversations, attempts, waitingLine, ledger, now } = options;
  return async (uid) => {
    const conversationId = await conversations.findBySession(uid);
    const view = conversationId === null ? null : await conversations.get(conversationId);
    if (!view || view.conversation.sessionUid !== uid) return {};
    const { id, namespace, sessionName: name, tenant, echo } = view.conversation;
    if (readEcho(echo).ended?.sessionUid === uid) return {};
    // Not known to the watch is not the same as gone.
    if ((await cache.read({ namespace, name, uid })) !== null) return { at: now() };
    const { run } = view;
    if (run && run.request.sessionUid === uid && !TERMINAL_RUN_STATES.has(run.state)) {
      const { runId } = run.request;
      await attempts.settle(
        { conversationId: id, runId },
        {
          state: 'failed',
          success: false,
          failureKind: 'session_gone',
          failureMessage: 'The browser session was deleted.',
          endedAt: new Date(now()).toISOString(),
        },
      );
      await waitingLine.remove(tenant, runId);
    }
    const ended = { sessionUid: uid, status: 'stopped', browserMicroUsd: await ledger.booked(tenant, 'browser', uid) };
    await conversations.patch(id, { echo: { ...echo, ended } });
    return {};
  };
}
