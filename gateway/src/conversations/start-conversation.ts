import { ApiError } from '@podwright/api/errors';
import { parseUsd } from '@podwright/api/money';
import type { Conversation } from '@podwright/api/run';
import { safeText } from '@podwright/api/safe-text';
import { V3_NEUTRAL_MODEL } from '@podwright/api/v3/models';
import type { CreateSessionBody } from '@podwright/api/v3/sessions';
import type { ConversationView, Conversations } from '@podwright/runs/conversations';
import type { WaitingLine } from '@podwright/runs/waiting-line';
import type { Caller } from '../identity/caller.ts';
import type { BrowserCreator } from '../sessions/create-browser-session.ts';
import type { BrowserWishReader } from '../sessions/browser-wishes.ts';
import type { CreateNames } from '../sessions/idempotency.ts';
import { type Echo, echoOf } from './echo.ts';
import { type RunFactory, taskMessage } from './run-factory.ts';

/** Starts conversations: a browser of its own and, with a task, a first run. */
export interface ConversationStarter {
  start(caller: Caller, body: CreateSessionBody, names: CreateNames, signal: AbortSignal): Promise<ConversationView>;
}

export function createConversationStarter(options: {
  conversations: Conversations;
  creator: BrowserCreator;
  wishes: BrowserWishReader;
  runs: RunFactory;
  waitingLine: WaitingLine;
  /** Told that a run of this tenant waits. */
  onWaiting: (tenant: string) => void;
  now: () => number;
}): ConversationStarter {
  const { conversations, creator, wishes, runs, waitingLine, onWaiting, now } = options;
  return {
    async start(caller, body, names, signal) {
      refuseNotOffered(body);
      const echo: Echo = { ...echoOf(body), maxCostMicroUsd: budgetOf(body) };
      const plan = body.task ? await runs.plan(caller, body.task, body.model ?? null, echo) : null;
      const keepAlive = body.keepAlive ?? false;
      const spec = await wishes.toSpec(caller, body, { keepAlive });

      const { session, created } = await creator.create(
        caller,
        { names, spec, origin: 'conversation', conversationId: names.id },
        signal,
      );
      const { uid, name } = session.metadata;
      const runId = plan ? names.firstRunId : null;
      const request =
        plan && runId
          ? runs.request(plan, { runId, conversationId: names.id, echo, session, tenant: caller.tenant })
          : null;
      const conversation: Conversation = {
        id: names.id,
        tenant: caller.tenant,
        grant: caller.key.id,
        namespace: caller.namespace,
        sessionUid: uid,
        sessionName: name,
        currentRunId: runId,
        modelAlias: body.model ?? V3_NEUTRAL_MODEL,
        keepAlive,
        title: body.task ? safeText(body.task, 80) : null,
        deletedAt: null,
        createdAt: new Date(now()).toISOString(),
        updatedAt: new Date(now()).toISOString(),
        echo: { ...echo },
        stoppedAt: null,
      };
      // The same request again finds the record and changes nothing; after a lost Redis it writes it anew.
      const isNew = await conversations.create(
        conversation,
        request,
        request ? [taskMessage(request.runId, request.task)] : [],
      );
      if (request && (created || isNew)) {
        await waitingLine.add(caller.tenant, request.runId, now());
        onWaiting(caller.tenant);
      }
      const view = await conversations.get(names.id);
      if (!view) throw new Error('the conversation that was just written cannot be read');
      return view;
    },
  };
}

/** The budget a request sets for its conversation, in micro-USD. */
export const budgetOf = (body: CreateSessionBody): number | null =>
  body.maxCostUsd === undefined || body.maxCostUsd === null ? null : parseUsd(body.maxCostUsd);

/** What would be ignored silently to the caller's harm is refused instead. */
export function refuseNotOffered(body: CreateSessionBody): void {
  if (body.workspaceId) throw new ApiError('workspace_not_found');
  if (body.sensitiveData && Object.keys(body.sensitiveData).length > 0) {
    throw new ApiError('invalid_request', 'sensitiveData is not offered here yet; use a saved profile.');
  }
}
