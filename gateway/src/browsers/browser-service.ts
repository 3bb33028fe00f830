import { formatDuration } from '@podwright/api/duration';
import { ApiError } from '@podwright/api/errors';
import type { BrowserPool } from '@podwright/api/kinds/pool';
import type { BrowserSession } from '@podwright/api/kinds/session';
import {
  type BrowserItem,
  type BrowserList,
  type BrowserView,
  type CreateBrowserBody,
  DEFAULT_TIMEOUT_MINUTES,
  type ListBrowsersQuery,
  MAX_TIMEOUT_MINUTES,
} from '@podwright/api/v3/browsers';
import type { ViewerMode } from '@podwright/api/v3/viewer';
import { type Caller, hasScope } from '../identity/caller.ts';
import { type LinkSession, type Links, hashOf } from '../links/links.ts';
import { browserCost, pricePerHour } from '../metering/browser-cost.ts';
import type { BrowserWishReader } from '../sessions/browser-wishes.ts';
import type { BrowserCreator } from '../sessions/create-browser-session.ts';
import type { CreateNames } from '../sessions/idempotency.ts';
import type { SessionCache } from '../sessions/session-cache.ts';
import type { SessionStopper } from '../sessions/stop-session.ts';
import { cdpUrl, viewUrl } from '../viewer/viewer-url.ts';
import { agentSessionOf, browserItem, browserView, hasMetadata, isActive, metadataOf } from './browser-view.ts';

/** Browsers of the API: BrowserSessions of the caller's tenant, with the addresses that the caller's scopes allow. */
export interface BrowserService {
  create(caller: Caller, body: CreateBrowserBody, names: CreateNames, signal: AbortSignal): Promise<BrowserItem>;
  list(caller: Caller, query: ListBrowsersQuery): Promise<BrowserList>;
  /** Throws `browser_not_found`. */
  find(caller: Caller, id: string): Promise<BrowserSession>;
  show(caller: Caller, session: BrowserSession): Promise<BrowserView>;
  /** Hash of the viewer link with this right, whose end ends everything derived from it. */
  viewerLinkHash(caller: Caller, session: BrowserSession, mode: ViewerMode): Promise<string>;
  /** Its doors are shut and the status is `stopped` from now on. */
  stop(caller: Caller, session: BrowserSession): Promise<BrowserView>;
}

export function createBrowserService(options: {
  creator: BrowserCreator;
  stopper: SessionStopper;
  wishes: BrowserWishReader;
  cache: SessionCache;
  links: Links;
  findPool: (namespace: string, name: string) => BrowserPool | undefined;
  publicUrl: string;
  now: () => number;
}): BrowserService {
  const { creator, stopper, wishes, cache, links, findPool, publicUrl, now } = options;

  const factsOf = async (caller: Caller, session: BrowserSession) => {
    const { tokens, stoppedAt } = await links.of(linkSession(caller, session));
    const { uid } = session.metadata;
    const mayControl = hasScope(caller, 'control') && session.spec.viewer?.interactive !== false;
    const mayView = hasScope(caller, 'view', 'control') && session.spec.viewer?.enabled !== false;
    const pool = findPool(session.metadata.namespace ?? '', session.status?.poolName ?? '');
    const until = stoppedAt === null ? now() : Date.parse(stoppedAt);
    return {
      session,
      stoppedAt,
      liveUrl: mayView ? viewUrl(publicUrl, uid, mayControl ? tokens.control : tokens.view) : null,
      cdpUrl: hasScope(caller, 'browse') ? cdpUrl(publicUrl, uid, tokens.cdp) : null,
      costMicroUsd: browserCost(session, pricePerHour(pool), until),
    };
  };

  return {
    async create(caller, body, names, signal) {
      refuseNotOffered(body);
      const minutes = body.timeout ?? DEFAULT_TIMEOUT_MINUTES;
      if (minutes > MAX_TIMEOUT_MINUTES) throw new ApiError('timeout_too_long');
      const spec = await wishes.toSpec(caller, body, {
        maxDuration: formatDuration(minutes * 60_000),
        // Clients of the original leave a browser alone and come back: only its timeout or a stop ends it.
        idleTimeout: '0',
        keepAlive: true,
      });
      const wanted = { names, spec, origin: 'browser' as const, ...(body.metadata ? { metadata: body.metadata } : {}) };
      const { session } = await creator.create(caller, wanted, signal);
      return browserItem(await factsOf(caller, session));
    },

    async list(caller, query) {
      const pageNumber = query.pageNumber ?? query.page ?? 1;
      const pageSize = query.pageSize ?? query.page_size ?? 10;
      const candidates = cache
        .ofNamespace(caller.namespace)
        .filter((session) => query.agentSessionId === undefined || agentSessionOf(session) === query.agentSessionId)
        .filter((session) => hasMetadata(metadataOf(session), query.metadata ?? []))
        .filter((session) => query.filterBy === undefined || isActive(session, null) === (query.filterBy === 'active'))
        .toSorted((a, b) => newestFirst(a, b));
      const page = candidates.slice((pageNumber - 1) * pageSize, pageNumber * pageSize);
      const items = await Promise.all(page.map(async (session) => browserItem(await factsOf(caller, session))));
      return { items, totalItems: candidates.length, pageNumber, pageSize };
    },

    async find(caller, id) {
      const session = await cache.findByUid(caller.namespace, id);
      if (!session) throw new ApiError('browser_not_found');
      return session;
    },

    async show(caller, session) {
      return browserView(await factsOf(caller, session));
    },

    async viewerLinkHash(caller, session, mode) {
      return hashOf((await links.of(linkSession(caller, session))).tokens[mode]);
    },

    async stop(caller, session) {
      const stopped = await stopper.stop(session, 'Asked', `key ${caller.key.id}`);
      await links.stop(session.metadata.uid, new Date(now()).toISOString());
      return browserView(await factsOf(caller, stopped ?? session));
    },
  };
}

export const linkSession = (caller: Caller, session: BrowserSession): LinkSession => ({
  uid: session.metadata.uid,
  name: session.metadata.name,
  namespace: session.metadata.namespace ?? '',
  tenant: caller.tenant,
});

const newestFirst = (a: BrowserSession, b: BrowserSession): number =>
  b.metadata.creationTimestamp.localeCompare(a.metadata.creationTimestamp) ||
  b.metadata.uid.localeCompare(a.metadata.uid);

/** What would be ignored silently to the caller's harm is refused instead. */
function refuseNotOffered(body: CreateBrowserBody): void {
  if (body.customProxy) throw new ApiError('invalid_request', 'customProxy is not offered here yet.');
  if (body.extensionIds && body.extensionIds.length > 0) {
    throw new ApiError('invalid_request', 'extensionIds are not offered here yet.');
  }
}
