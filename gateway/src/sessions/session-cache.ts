import type { BrowserSession } from '@podwright/api/kinds/session';
import { LABEL } from '@podwright/api/names';
import type { Client } from '@podwright/kube/client';
import { isNotFound } from '@podwright/kube/kube-error';
import type { Reflector } from '@podwright/kube/reflector';
import { RESOURCE } from '@podwright/kube/resource';

/** Indexes of the watched sessions. */
export const SESSION_INDEXES = {
  conversation: (session: BrowserSession): string[] => labelOf(session, LABEL.conversation),
  namespace: (session: BrowserSession): string[] => [session.metadata.namespace ?? ''],
};
const labelOf = (session: BrowserSession, label: string): string[] => {
  const value = session.metadata.labels?.[label];
  return value === undefined ? [] : [value];
};

export type SessionReflector = Reflector<BrowserSession, keyof typeof SESSION_INDEXES>;

/** BrowserSessions as this replica knows them; what the watch has not brought yet is asked for. */
export interface SessionCache {
  byUid(uid: string): BrowserSession | undefined;
  ofNamespace(namespace: string): BrowserSession[];
  all(): BrowserSession[];
  /** The object, from the cache or the API server. Null: it is gone, or another one has its name now. */
  read(target: { namespace: string; name: string; uid: string }): Promise<BrowserSession | null>;
  /** By UID alone, within one namespace. */
  findByUid(namespace: string, uid: string): Promise<BrowserSession | null>;
  /** Shows an own write at once. */
  remember(session: BrowserSession): void;
  forget(session: BrowserSession): void;
  onChange(handler: (session: BrowserSession, removed: boolean) => void): () => void;
  /**
   * Waits until `decide` returns something for the object, or throws. It is asked now and at every change;
   * `undefined` is passed when the object is not known or was removed.
   */
  waitFor<T>(
    uid: string,
    decide: (session: BrowserSession | undefined) => T | undefined,
    signal: AbortSignal,
  ): Promise<T>;
}

export function createSessionCache(options: { reflector: SessionReflector; client: Client }): SessionCache {
  const { reflector, client } = options;
  const { store } = reflector;
  /** One list per namespace at a time: many misses at once cost one request. */
  const listing = new Map<string, Promise<void>>();
  const waiting = new Map<string, Set<(session: BrowserSession | undefined) => void>>();

  reflector.onChange((change) => {
    const { uid } = change.object.metadata;
    for (const tell of waiting.get(uid) ?? []) tell(change.type === 'removed' ? undefined : change.object);
  });

  const listInto = async (namespace: string): Promise<void> => {
    const { items } = await client.list(RESOURCE.browserSessions, { namespace });
    for (const item of items) reflector.remember(item);
  };
  const relist = (namespace: string): Promise<void> => {
    let running = listing.get(namespace);
    if (!running) {
      running = listInto(namespace).finally(() => listing.delete(namespace));
      listing.set(namespace, running);
    }
    return running;
  };

  return {
    byUid: (uid) => store.getByUid(uid),
    ofNamespace: (namespace) => store.by('namespace', namespace),
    all: () => store.list(),
    async read({ namespace, name, uid }) {
      const known = store.getByUid(uid);
      if (known) return known;
      try {
        const found = await client.get(RESOURCE.browserSessions, { namespace, name });
        if (found.metadata.uid !== uid) return null;
        reflector.remember(found);
        return found;
      } catch (error) {
        if (isNotFound(error)) return null;
        throw error;
      }
    },
    async findByUid(namespace, uid) {
      if (store.getByUid(uid) === undefined) await relist(namespace);
      const found = store.getByUid(uid);
      return found?.metadata.namespace === namespace ? found : null;
    },
    remember: (session) => reflector.remember(session),
    forget: (session) => reflector.forget(session),
    onChange: (handler) => reflector.onChange((change) => handler(change.object, change.type === 'removed')),
    async waitFor<T>(uid: string, decide: (session: BrowserSession | undefined) => T | undefined, signal: AbortSignal) {
      signal.throwIfAborted();
      const now = decide(store.getByUid(uid));
      if (now !== undefined) return now;
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const tell = (session: BrowserSession | undefined): void => {
        try {
          const decided = decide(session);
          if (decided !== undefined) resolve(decided);
        } catch (error) {
          reject(error);
        }
      };
      const abort = (): void => reject(signal.reason);
      const listeners = waiting.get(uid) ?? new Set();
      waiting.set(uid, listeners.add(tell));
      signal.addEventListener('abort', abort, { once: true });
      return promise.finally(() => {
        signal.removeEventListener('abort', abort);
        listeners.delete(tell);
        if (listeners.size === 0) waiting.delete(uid);
      });
    },
  };
}
