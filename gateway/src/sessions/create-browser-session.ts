import { ApiError } from '@podwright/api/errors';
import type { BrowserSession, BrowserSessionSpec } from '@podwright/api/kinds/session';
import { TENANT_DEFAULTS } from '@podwright/api/kinds/tenant';
import { ANNOTATION, FINALIZER, LABEL } from '@podwright/api/names';
import type { Client } from '@podwright/kube/client';
import { isAlreadyExists, isInvalid } from '@podwright/kube/kube-error';
import { RESOURCE } from '@podwright/kube/resource';
import type { Caller } from '../identity/caller.ts';
import { type Verdict, verdictOf } from './admission-verdict.ts';
import type { CreateNames } from './idempotency.ts';
import type { SessionCache } from './session-cache.ts';

/** How long the operator may take to say whether there is room. */
const VERDICT_MS = 10_000;

export interface NewBrowser {
  names: CreateNames;
  spec: BrowserSessionSpec;
  origin: 'browser' | 'conversation';
  conversationId?: string;
  metadata?: Record<string, string>;
}

/** Makes BrowserSession objects for the API. */
export interface BrowserCreator {
  /**
   * `created` is false when the same request had made it before.
   * Throws `too_many_sessions` with no side effect when the tenant is full and refuses instead of queueing,
   * `idempotency_conflict`, `invalid_request` with the API server's words.
   */
  create(
    caller: Caller,
    wanted: NewBrowser,
    signal: AbortSignal,
  ): Promise<{ session: BrowserSession; created: boolean }>;
}

export function createBrowserCreator(options: { client: Client; cache: SessionCache }): BrowserCreator {
  const { client, cache } = options;

  /** Removes what must leave no trace; a failure leaves an object that the operator has refused anyway. */
  const takeBack = async (session: BrowserSession): Promise<void> => {
    const { namespace, name, uid } = session.metadata;
    await client.delete(RESOURCE.browserSessions, { namespace, name }, { uid });
  };

  const awaitVerdict = async (session: BrowserSession, signal: AbortSignal): Promise<void> => {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(VERDICT_MS)]);
    let verdict: Verdict;
    try {
      verdict = await cache.waitFor(session.metadata.uid, (seen) => seen && verdictOf(seen), deadline);
    } catch {
      await takeBack(session);
      throw new ApiError('unavailable', 'Nobody admits sessions at the moment.');
    }
    if (verdict.admitted) return;
    await takeBack(session);
    throw new ApiError('too_many_sessions', undefined, { retryAfter: 5 });
  };

  return {
    async create(caller, wanted, signal) {
      assertQueueHasRoom(caller);
      const object = toObject(caller, wanted);
      try {
        const session = await client.create(RESOURCE.browserSessions, object);
        cache.remember(session);
        if (caller.tenantObject.spec.whenFull === 'Reject') await awaitVerdict(session, signal);
        return { session, created: true };
      } catch (error) {
        if (isAlreadyExists(error)) return { session: await sameAsBefore(caller, wanted), created: false };
        if (isInvalid(error)) throw new ApiError('invalid_request', error.message, { cause: error });
        throw error;
      }
    },
  };

  async function sameAsBefore(caller: Caller, wanted: NewBrowser): Promise<BrowserSession> {
    const target = { namespace: caller.namespace, name: wanted.names.objectName };
    const session = await client.get(RESOURCE.browserSessions, target);
    if (session.metadata.annotations?.[ANNOTATION.requestHash] !== wanted.names.requestHash) {
      throw new ApiError('idempotency_conflict');
    }
    cache.remember(session);
    return session;
  }
}

/** The queue's limit is the operator's to enforce; a queue that is full already is told before anything is made. */
function assertQueueHasRoom(caller: Caller): void {
  const { limits, whenFull, paused } = caller.tenantObject.spec;
  if (paused === true) throw new ApiError('forbidden', 'This tenant is paused.');
  if ((whenFull ?? TENANT_DEFAULTS.whenFull) === 'Reject') return;
  const queued = caller.tenantObject.status?.queued ?? 0;
  const limit = limits?.queuedSessions ?? TENANT_DEFAULTS.queuedSessions;
  if (queued >= limit && limit > 0) throw new ApiError('too_many_sessions', undefined, { retryAfter: 5 });
}

function toObject(caller: Caller, { names, spec, origin, conversationId, metadata }: NewBrowser) {
  return {
    metadata: {
      name: names.objectName,
      namespace: caller.namespace,
      // The operator's own first write, saved. Where a refusal must leave no trace it is left to the operator.
      ...(caller.tenantObject.spec.whenFull === 'Reject' ? {} : { finalizers: [FINALIZER] }),
      labels: {
        [LABEL.tenant]: caller.tenant,
        [LABEL.grant]: caller.key.id,
        ...(conversationId === undefined ? {} : { [LABEL.conversation]: conversationId }),
      },
      annotations: {
        [ANNOTATION.origin]: origin,
        [ANNOTATION.requestHash]: names.requestHash,
        ...(metadata === undefined ? {} : { [ANNOTATION.metadata]: JSON.stringify(metadata) }),
      },
    },
    spec,
  };
}
