import { type Backoff, createBackoff } from './backoff.ts';
import type { Client, Selection } from './client.ts';
import { isExpired, isNotFound } from './kube-error.ts';
import type { KubeObject, ResourceType } from './resource.ts';
import { sleep } from './sleep.ts';
import { type Change, type IndexFunctions, type Store, createStore, isNewer } from './store.ts';

/** What a reflector tells of itself; `healthy` feeds /healthz and `podwright_watch_healthy`. */
export interface ReflectorHealth {
  kind: string;
  synced: boolean;
  /** A watch is up, or was within the last 30 s. */
  healthy: boolean;
  /** Milliseconds since the epoch of the last event, bookmark, list or accepted watch. */
  lastContactAt: number;
  restarts: number;
  lists: number;
  lastError: string | undefined;
}

/** Called in order of registration for every change, one change after the other. What it throws is logged and goes no further. */
export type ChangeHandler<T> = (change: Change<T>) => void;

/** A cache of one kind that stays true: list, watch, and the same again after any trouble. */
export interface Reflector<T extends KubeObject, I extends string = never> {
  readonly store: Store<T, I>;
  /** Registers a handler; objects already known arrive as `added` at once. Returns how to take it away. */
  onChange(handler: ChangeHandler<T>): () => void;
  /** Resolves when the first list is in the store; rejects when `signal` aborts. */
  synced(signal: AbortSignal): Promise<void>;
  /**
   * Puts the answer of an own write into the cache at once, so that the next decision sees it.
   * The watch event that follows is the same version and changes nothing.
   */
  remember(object: T): void;
  /** The answer of an own delete. */
  forget(object: T): void;
  health(): ReflectorHealth;
  /** Ends the watch; resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

/** Structural part of pino that kube/ uses. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface ReflectorOptions<T extends KubeObject, I extends string> extends Selection {
  client: Client;
  resource: ResourceType<T>;
  /** All index names of this kind and their functions, declared in one file of the process that uses them. */
  indexes?: IndexFunctions<T, I>;
  /** Drops what nobody reads (managed fields always go). */
  transform?: (object: T) => T;
  now: () => number;
  log: Log;
  /** Silence after which a watch counts as dead although its connection stands. Default 75 s; bookmarks come each minute. */
  quietMs?: number;
}

const HEALTHY_WITHOUT_WATCH_MS = 30_000;

/** Creates and starts it. */
export function startReflector<T extends KubeObject, I extends string = never>(
  options: ReflectorOptions<T, I>,
): Reflector<T, I> {
  const { client, resource, now, log } = options;
  const store = createStore<T, I>({ indexes: options.indexes ?? ({} as IndexFunctions<T, I>), now });
  const handlers: ChangeHandler<T>[] = [];
  const stopping = new AbortController();
  const backoff = createBackoff({ firstMs: 100, maxMs: 10_000 });
  const synced = Promise.withResolvers<void>();
  synced.promise.catch(() => {});
  const state = { synced: false, watching: false, lastContactAt: now(), restarts: 0, lists: 0 };
  let lastError: string | undefined;
  /** Where the next watch goes on; undefined: list first. */
  let position: string | undefined;
  let highest = '0';

  function tell(handler: ChangeHandler<T>, change: Change<T>): void {
    try {
      handler(change);
    } catch (error) {
      log.error({ err: error, kind: resource.kind, change: change.type }, 'a change handler threw');
    }
  }
  const publish = (changes: Change<T>[]): void => {
    for (const change of changes) for (const handler of handlers) tell(handler, change);
  };
  const clean = (object: T): T => {
    delete (object.metadata as { managedFields?: unknown }).managedFields;
    return options.transform ? options.transform(object) : object;
  };
  const reached = (resourceVersion: string): void => {
    position = resourceVersion;
    if (isNewer(resourceVersion, highest)) highest = resourceVersion;
    state.lastContactAt = now();
  };

  async function list(): Promise<void> {
    const { namespace, labelSelector, fieldSelector } = options;
    const listed = await client.list(resource, {
      namespace,
      labelSelector,
      fieldSelector,
      signal: stopping.signal,
      timeoutMs: 60_000,
    });
    const rolledBack = isNewer(highest, listed.resourceVersion);
    if (rolledBack) {
      log.warn({ kind: resource.kind, from: highest, to: listed.resourceVersion }, 'the API server went back in time');
      highest = listed.resourceVersion;
    }
    publish(store.replace(listed.items.map(clean), listed.resourceVersion, rolledBack));
    state.lists += 1;
    reached(listed.resourceVersion);
    state.synced = true;
    synced.resolve();
  }

  async function watch(from: string): Promise<void> {
    const events = client.watch(resource, {
      namespace: options.namespace,
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
      resourceVersion: from,
      // Spread, so that the watches of many replicas do not end together.
      timeoutSeconds: 300 + Math.floor(Math.random() * 300),
      quietMs: options.quietMs ?? 75_000,
      // Asking is not having: during an outage it asks again and again, and must not look healthy meanwhile.
      onOpen() {
        state.watching = true;
        state.lastContactAt = now();
      },
      signal: stopping.signal,
    });
    try {
      for await (const event of events) {
        if (event.type === 'DELETED') publish(store.remove(clean(event.object)));
        else if (event.type !== 'BOOKMARK') publish(store.put(clean(event.object)));
        reached(event.object.metadata.resourceVersion);
        backoff.reset();
      }
    } finally {
      state.watching = false;
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const startedAt = now();
      try {
        if (position === undefined) await list();
        await watch(position!);
        // An orderly end after a while is how watches live; an instant end again and again is not.
        if (now() - startedAt < 1_000) await pause(backoff);
        else backoff.reset();
      } catch (error) {
        if (stopping.signal.aborted) return;
        state.restarts += 1;
        lastError = error instanceof Error ? error.message : String(error);
        if (isExpired(error)) position = undefined;
        // The kind is not served (yet): its CRD may come or come back, with another history.
        if (isNotFound(error)) position = undefined;
        log.warn({ kind: resource.kind, error: lastError, relist: position === undefined }, 'watch starts again');
        await pause(backoff);
      }
    }
  }
  const pause = (wait: Backoff): Promise<void> => sleep(wait.next(), stopping.signal).catch(() => {});
  const running = run();

  return {
    store,
    onChange(handler) {
      handlers.push(handler);
      for (const object of store.list()) tell(handler, { type: 'added', object });
      return () => {
        handlers.splice(handlers.indexOf(handler), 1);
      };
    },
    async synced(signal) {
      const { promise, reject } = Promise.withResolvers<never>();
      const abort = (): void => reject(signal.reason);
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, { once: true });
      await Promise.race([synced.promise, promise]).finally(() => signal.removeEventListener('abort', abort));
    },
    remember(object) {
      publish(store.put(clean(object)));
    },
    forget(object) {
      publish(store.remove(object, { deleted: true }));
    },
    health() {
      const healthy = state.synced && (state.watching || now() - state.lastContactAt < HEALTHY_WITHOUT_WATCH_MS);
      const { lastContactAt, restarts, lists } = state;
      return { kind: resource.kind, synced: state.synced, healthy, lastContactAt, restarts, lists, lastError };
    },
    async stop() {
      stopping.abort(new Error('the reflector was stopped'));
      synced.reject(stopping.signal.reason);
      await running;
    },
  };
}
