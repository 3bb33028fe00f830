import type { BrowserSession } from '@podwright/api/kinds/session';
import { LABEL } from '@podwright/api/names';
import type { Client } from '@podwright/kube/client';
import type { KubeEvent, Pod } from '@podwright/kube/objects';
import { type Reflector, startReflector } from '@podwright/kube/reflector';
import { type KubeObject, RESOURCE } from '@podwright/kube/resource';
import { silent } from '../harness/kube.ts';

/** One state that an object was seen in; undefined: it is gone. */
export interface Sight<T> {
  uid: string;
  name: string;
  object: T | undefined;
}

/** All that happened in some namespaces, in order of sight by kind. */
export interface Record {
  sessions: readonly Sight<BrowserSession>[];
  pods: readonly Sight<Pod>[];
  events: readonly Sight<KubeEvent>[];
}

/** Watches the API server itself, not through the proxy, and forgets nothing until it is told to. */
export interface History {
  of(namespaces: readonly string[]): Record;
  forget(namespaces: readonly string[]): void;
  /** The session as it is now. */
  session(namespace: string, name: string): BrowserSession | undefined;
  podsIn(namespace: string): Pod[];
  stop(): Promise<void>;
}

export async function startHistory(options: { client: Client }): Promise<History> {
  const common = { client: options.client, now: Date.now, log: silent };
  const kept = {
    sessions: new Map<string, Sight<BrowserSession>[]>(),
    pods: new Map<string, Sight<Pod>[]>(),
    events: new Map<string, Sight<KubeEvent>[]>(),
  };
  const keep = <T extends KubeObject>(reflector: Reflector<T>, into: Map<string, Sight<T>[]>): void => {
    reflector.onChange(({ type, object }) => {
      const { namespace = '', uid, name } = object.metadata;
      const sights = into.get(namespace) ?? [];
      into.set(namespace, sights);
      sights.push({ uid, name, object: type === 'removed' ? undefined : object });
    });
  };
  const sessions = startReflector({ ...common, resource: RESOURCE.browserSessions });
  const pods = startReflector({ ...common, resource: RESOURCE.pods, labelSelector: LABEL.pool });
  const events = startReflector({ ...common, resource: RESOURCE.events });
  keep(sessions, kept.sessions);
  keep(pods, kept.pods);
  keep(events, kept.events);
  const all = [sessions, pods, events];
  await Promise.all(all.map((reflector) => reflector.synced(AbortSignal.timeout(20_000))));
  return {
    of: (namespaces) => ({
      sessions: namespaces.flatMap((namespace) => kept.sessions.get(namespace) ?? []),
      pods: namespaces.flatMap((namespace) => kept.pods.get(namespace) ?? []),
      events: namespaces.flatMap((namespace) => kept.events.get(namespace) ?? []),
    }),
    forget(namespaces) {
      for (const namespace of namespaces) for (const map of Object.values(kept)) map.delete(namespace);
    },
    session: (namespace, name) => sessions.store.get(`${namespace}/${name}`),
    podsIn: (namespace) => pods.store.list().filter((pod) => pod.metadata.namespace === namespace),
    async stop() {
      await Promise.all(all.map((reflector) => reflector.stop()));
    },
  };
}
