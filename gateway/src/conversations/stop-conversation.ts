import { TERMINAL_RUN_STATES } from '@podwright/api/run';
import type { Attempts } from '@podwright/runs/attempts';
import type { ConversationView, Conversations } from '@podwright/runs/conversations';
import type { WaitingLine } from '@podwright/runs/waiting-line';
import type { Caller } from '../identity/caller.ts';
import type { Links } from '../links/links.ts';
import type { SessionStopper } from '../sessions/stop-session.ts';
import type { ConversationReader } from './conversation-reader.ts';

/** Ends a conversation, or only what it is working on. Both can be asked for again and change nothing then. */
export interface ConversationStopper {
  /** The browser ends; the status is `stopped` from now on. */
  stopSession(caller: Caller, id: string): Promise<ConversationView>;
  /** The run ends and the browser stays: the status is `idle`. */
  stopTask(caller: Caller, id: string): Promise<ConversationView>;
  /** Stops it, and takes it out of every list. */
  remove(caller: Caller, id: string): Promise<void>;
}

/** How long the record of a deleted conversation is kept for whoever must still settle it. */
const KEEP_DELETED_SECONDS = 7 * 24 * 3600;

export function createConversationStopper(options: {
  conversations: Conversations;
  attempts: Attempts;
  reader: ConversationReader;
  stopper: SessionStopper;
  links: Links;
  waitingLine: WaitingLine;
  now: () => number;
}): ConversationStopper {
  const { conversations, attempts, reader, stopper, links, waitingLine, now } = options;
  const stamp = (): string => new Date(now()).toISOString();

  const cancelRun = async ({ conversation, run }: ConversationView): Promise<void> => {
    if (!run || TERMINAL_RUN_STATES.has(run.state)) return;
    const key = { conversationId: conversation.id, runId: run.request.runId };
    await attempts.setControl(key, 'cancel');
    await attempts.settle(key, {
      state: 'cancelled',
      success: false,
      failureKind: 'cancelled',
      failureMessage: 'It was stopped through the API.',
      endedAt: stamp(),
    });
    await waitingLine.remove(conversation.tenant, run.request.runId);
  };

  const stop = async (caller: Caller, view: ConversationView): Promise<void> => {
    const { conversation } = view;
    const browser = await reader.browserOf(conversation);
    const status = reader.statusOf(view, browser);
    if (status !== 'stopped' && status !== 'timed_out' && status !== 'error') {
      // The mark comes first: from here on every replica says `stopped`, and a crash leaves the rest to the sweeper.
      await conversations.patch(conversation.id, { stoppedAt: stamp() });
    }
    await cancelRun(view);
    await links.stop(conversation.sessionUid, stamp());
    if (browser) await stopper.stop(browser, 'Asked', `key ${caller.key.id}`);
  };

  return {
    async stopSession(caller, id) {
      await stop(caller, await reader.read(caller, id));
      return reader.read(caller, id);
    },
    async stopTask(caller, id) {
      const view = await reader.read(caller, id);
      const { run } = view;
      if (run && !TERMINAL_RUN_STATES.has(run.state)) {
        // The browser is to stay although its run ends.
        await conversations.patch(id, { keepAlive: true });
        await cancelRun(view);
      }
      return reader.read(caller, id);
    },
    async remove(caller, id) {
      const view = await reader.read(caller, id);
      await stop(caller, view);
      await conversations.patch(id, { deletedAt: stamp() });
      await conversations.forget(caller.tenant, id, KEEP_DELETED_SECONDS);
    },
  };
}
