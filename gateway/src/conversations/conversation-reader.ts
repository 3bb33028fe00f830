import { ApiError } from '@podwright/api/errors';
import type { BrowserPool } from '@podwright/api/kinds/pool';
import type { BrowserSession } from '@podwright/api/kinds/session';
import { type Conversation, TERMINAL_RUN_STATES } from '@podwright/api/run';
import type { SessionView, V3Status } from '@podwright/api/v3/sessions';
import { v3Status } from '@podwright/api/v3/v3-status';
import type { ConversationView, Conversations } from '@podwright/runs/conversations';
import { type Caller, hasScope } from '../identity/caller.ts';
import type { KeeperClient } from '../keeper-client.ts';
import type { Links } from '../links/links.ts';
import { browserCost, pricePerHour } from '../metering/browser-cost.ts';
import type { SessionCache } from '../sessions/session-cache.ts';
import { browserPhaseOf, isOpen } from '../sessions/session-state.ts';
import { viewUrl } from '../viewer/viewer-url.ts';
import { readEcho } from './echo.ts';
import { sessionView } from './session-view.ts';

/** Conversations of the API as callers see them. */
export interface ConversationReader {
  /** Throws `session_not_found` for what is not there, deleted, or another tenant's. */
  read(caller: Caller, id: string): Promise<ConversationView>;
  /** The present BrowserSession of a conversation; null when it is gone. */
  browserOf(conversation: Conversation): Promise<BrowserSession | null>;
  statusOf(view: ConversationView, browser: BrowserSession | null): V3Status;
  /** Micro-USD that the present browser has cost. */
  browserCostOf(view: ConversationView, browser: BrowserSession | null): number;
  show(caller: Caller, view: ConversationView, where: 'one' | 'list'): Promise<SessionView>;
}

export function createConversationReader(options: {
  conversations: Conversations;
  cache: SessionCache;
  links: Links;
  keeper: KeeperClient;
  findPool: (namespace: string, name: string) => BrowserPool | undefined;
  publicUrl: string;
  now: () => number;
}): ConversationReader {
  const { conversations, cache, links, keeper, findPool, publicUrl, now } = options;

  const reader: ConversationReader = {
    async read(caller, id) {
      const view = await conversations.get(id);
      if (!view || view.conversation.tenant !== caller.tenant || view.conversation.deletedAt !== null) {
        throw new ApiError('session_not_found');
      }
      return view;
    },
    async browserOf({ namespace, sessionName, sessionUid, echo }) {
      const known = cache.byUid(sessionUid);
      if (known) return known;
      if (readEcho(echo).ended?.sessionUid === sessionUid) return null;
      // Not known to the watch is not the same as gone: another replica may have made it a moment ago.
      return cache.read({ namespace, name: sessionName, uid: sessionUid });
    },
    statusOf({ conversation, run }, browser) {
      const { ended } = readEcho(conversation.echo);
      // The object may be gone by now; how it ended was written down.
      if (browser === null && ended?.sessionUid === conversation.sessionUid) return ended.status;
      return v3Status({ conversation, run, browser: browserPhaseOf(browser) });
    },
    browserCostOf({ conversation, run }, browser) {
      const { ended } = readEcho(conversation.echo);
      if (browser === null) return ended?.sessionUid === conversation.sessionUid ? ended.browserMicroUsd : 0;
      // What is shown with a terminal status must not grow afterwards: it counts to the end of the run or the stop.
      const runEnd =
        run !== null && !conversation.keepAlive && TERMINAL_RUN_STATES.has(run.state) ? (run.endedAt ?? null) : null;
      const ends = [conversation.stoppedAt, runEnd].flatMap((at) => (at === null ? [] : [Date.parse(at)]));
      const pool = findPool(conversation.namespace, browser.status?.poolName ?? '');
      return browserCost(browser, pricePerHour(pool), Math.min(now(), ...ends));
    },
    async show(caller, view, where) {
      const { conversation, run } = view;
      const browser = await reader.browserOf(conversation);
      const status = reader.statusOf(view, browser);
      return sessionView({
        conversation,
        run,
        status,
        browserMicroUsd: reader.browserCostOf(view, browser),
        liveUrl: await liveUrlOf(caller, conversation, browser, status),
        screenshotUrl: where === 'one' ? await screenshotUrlOf(view) : null,
        recordingUrls: [],
        where,
      });
    },
  };

  async function liveUrlOf(
    caller: Caller,
    conversation: Conversation,
    browser: BrowserSession | null,
    status: V3Status,
  ): Promise<string | null> {
    const over = status === 'stopped' || status === 'timed_out' || status === 'error';
    if (over || !browser || !isOpen(browser) || browser.spec.viewer?.enabled === false) return null;
    if (!hasScope(caller, 'view', 'control')) return null;
    const { tokens } = await links.of({
      uid: conversation.sessionUid,
      name: conversation.sessionName,
      namespace: conversation.namespace,
      tenant: conversation.tenant,
    });
    const mayControl = hasScope(caller, 'control') && browser.spec.viewer?.interactive !== false;
    return viewUrl(publicUrl, conversation.sessionUid, mayControl ? tokens.control : tokens.view);
  }

  async function screenshotUrlOf({ run }: ConversationView): Promise<string | null> {
    if (!run || run.screenshotRef === null) return null;
    // A picture is worth less than the answer: without the keeper there is none.
    return keeper.presignRef(run.screenshotRef, 300).catch(() => null);
  }
  return reader;
}
