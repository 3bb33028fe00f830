import type { BrowserSession, StopReason } from '@podwright/api/kinds/session';
import { FIELD_MANAGER } from '@podwright/api/names';
import type { Client } from '@podwright/kube/client';
import { isConflict, isInvalid, isNotFound } from '@podwright/kube/kube-error';
import { RESOURCE } from '@podwright/kube/resource';
import type { SessionCache } from './session-cache.ts';

/** Asks for the end of a session. One way: a stop that was set before stays as it was set. */
export interface SessionStopper {
  /** The object as it is after that; null when it is gone. */
  stop(session: BrowserSession, reason: StopReason, by: string): Promise<BrowserSession | null>;
}

export function createSessionStopper(options: {
  client: Client;
  cache: SessionCache;
  now: () => number;
}): SessionStopper {
  const { client, cache, now } = options;
  return {
    async stop(session, reason, by) {
      if (session.spec.stop !== undefined) return session;
      const { namespace, name, uid } = session.metadata;
      const body = {
        // The UID guards against another object of the same name.
        metadata: { uid },
        spec: { stop: { reason, by, at: new Date(now()).toISOString() } },
      };
      try {
        const stopped = await client.patch(
          RESOURCE.browserSessions,
          { namespace, name },
          { type: 'merge', body },
          { fieldManager: FIELD_MANAGER.gateway },
        );
        cache.remember(stopped);
        return stopped;
      } catch (error) {
        if (isNotFound(error)) return null;
        // Someone else set it first and it cannot be changed, or the name belongs to another object by now.
        if (isInvalid(error) || isConflict(error)) return cache.read({ namespace: namespace ?? '', name, uid });
        throw error;
      }
    },
  };
}
