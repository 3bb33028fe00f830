import { ApiError } from '@podwright/api/errors';
import type { BrowserSession } from '@podwright/api/kinds/session';
import { safeText } from '@podwright/api/safe-text';
import type { CreateSessionBody } from '@podwright/api/v3/sessions';
import type { ConversationPatch, ConversationView, Conversations } from '@podwright/runs/conversations';
import type { WaitingLine } from '@podwright/runs/waiting-line';
import type { Caller } from '../identity/caller.ts';
import type { BrowserCreator } from '../sessions/create-browser-session.ts';
import type { BrowserWishReader } from '../sessions/browser-wishes.ts';
import { type CreateNames, createNames } from '../sessions/idempotency.ts';
import type { ConversationReader } from './conversation-reader.ts';
import { type Echo, echoAfter, readEcho } from './echo.ts';
import { type RunFactory, taskMessage } from './run-factory.ts';
import { budgetOf, refuseNotOffered } from './start-conversation.ts';

/** A further task in a conversation. The answer and every later read say `created` or `running`, never the old `idle`. */
export interface FollowUp {
  /** Throws `session_busy`, or `session_ended` for a conversation that takes no more tasks. */
  start(
    caller: Caller,
    body: CreateSessionBody & { sessionId: string; task: string },
    names: CreateNames,
    signal: AbortSignal,
  ): Promise<ConversationView>;
}

/** Ends of a browser after which a keep-alive conversation gets a new one. */
const EVICTED = new Set(['Idle', 'Replaced', 'NodeDraining']);

export function createFollowUp(options: {
  conversations: Conversations;
  reader: ConversationReader;
  creator: BrowserCreator;
  wishes: BrowserWishReader;
  runs: RunFactory;
  waitingLine: WaitingLine;
  onWaiting: (tenant: string) => void;
  now: () => number;
}): FollowUp {
  const { conversations, reader, creator, wishes, runs, waitingLine, onWaiting, now } = options;

  const replaceBrowser = async (
    caller: Caller,
    view: ConversationView,
    echo: Echo,
    names: CreateNames,
    signal: AbortSignal,
  ): Promise<BrowserSession> => {
    const { conversation } = view;
    // The name follows from the run, so that a repeat finds the browser it made.
    const browserNames = createNames({
      kind: 'session',
      tenant: caller.tenant,
      keyId: conversation.id,
      idempotencyKey: names.id,
      body: null,
    });
    const spec = await wishes.toSpec(
      caller,
      { ...echo, profileId: echo.profileId },
      { keepAlive: conversation.keepAlive },
    );
    const wanted = { names: browserNames, spec, origin: 'conversation' as const, conversationId: conversation.id };
    return (await creator.create(caller, wanted, signal)).session;
  };

  return {
    async start(caller, body, names, signal) {
      refuseNotOffered(body);
      const view = await reader.read(caller, body.sessionId);
      const { conversation, run } = view;
      // The same request again: the run it made is there.
      if (names.repeatable && (await conversations.findRun(names.id)) !== null) return view;

      const browser = await reader.browserOf(conversation);
      const status = reader.statusOf(view, browser);
      if (status === 'running' || (status === 'created' && run !== null)) throw new ApiError('session_busy');
      const evicted = isEvicted(view, browser, status);
      if (status !== 'idle' && status !== 'created' && !evicted) throw new ApiError('session_ended');

      const before = readEcho(conversation.echo);
      const echo: Echo = {
        ...echoAfter(before, body, run),
        maxCostMicroUsd: budgetOf(body) ?? before.maxCostMicroUsd,
      };
      if (evicted) {
        echo.carried = {
          ...echo.carried,
          browserMicroUsd: echo.carried.browserMicroUsd + reader.browserCostOf(view, browser),
        };
        echo.ended = null;
      }
      const plan = await runs.plan(caller, body.task, body.model ?? conversation.modelAlias, echo);
      const session = evicted || !browser ? await replaceBrowser(caller, view, echo, names, signal) : browser;
      const request = runs.request(plan, {
        runId: names.id,
        conversationId: conversation.id,
        echo,
        session,
        tenant: caller.tenant,
      });
      const patch: ConversationPatch = {
        echo: { ...echo },
        ...(body.keepAlive === undefined || body.keepAlive === null ? {} : { keepAlive: body.keepAlive }),
        ...(body.model ? { modelAlias: body.model } : {}),
        ...(conversation.title === null ? { title: safeText(body.task, 80) } : {}),
        ...(evicted ? { sessionUid: session.metadata.uid, sessionName: session.metadata.name } : {}),
      };
      const outcome = await conversations.startRun(view, request, patch, [taskMessage(names.id, body.task)]);
      if (outcome === 'missing') throw new ApiError('session_not_found');
      if (outcome !== 'started') throw new ApiError('session_busy');
      await waitingLine.add(caller.tenant, names.id, now());
      onWaiting(caller.tenant);
      return reader.read(caller, conversation.id);
    },
  };
}

function isEvicted({ conversation }: ConversationView, browser: BrowserSession | null, status: string): boolean {
  if (!conversation.keepAlive || conversation.stoppedAt !== null || status !== 'stopped') return false;
  return browser === null || EVICTED.has(browser.spec.stop?.reason ?? browser.status?.reason ?? '');
}
