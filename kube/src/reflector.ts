import { type ChangeHandler, createAnnouncer } from './announcer.ts';
import { createBackoff } from './backoff.ts';
import type { Client, Selection } from './client.ts';
import { KubeError, isExpired, isNotFound, isSilent } from './kube-error.ts';
import type { KubeObject, ResourceType } from './resource.ts';
import { sleep } from './sleep.ts';
import { type IndexFunctions, type Store, createStore, isNewer } from './store.ts';

/** What a reflector tells of itself; `healthy` feeds /healthz and `podwright_watch_healthy`. */
export interface ReflectorHealth {
  kind: string;
  synced: boolean;
  /** A watch is up, or was within the last 30 s. */
  healthy: boolean;
  /** Milliseconds since the epoch of the last event, bookmark, list or accepted watch. */
  lastContactAt: number;
  /**
   * Milliseconds since it last did anything at all: asked, was answered, refused or cut off. Whatever the API server does,
   * this stays below the longest of its own deadlines; more means that the process itself is stuck.
   */
  sinceStepMs: number;
  restarts: number;
  lists: number;
  lastError: string | undefined;
}

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
  /** Milliseconds on a clock that does not jump. Default `performance.now`. */
  monotonic?: () => number;
}

const HEALTHY_WITHOUT_WATCH_MS = 30_000;
/** For a page of a list. */
const LIST_TIMEOUT_MS = 20_000;
/** A watch that stood for this long was a good one: the next trouble starts with short pauses again. */
const STABLE_MS = 5_000;
/** What a server may ask for with Retry-After. */
const MAX_RETRY_AFTER_MS = 60_000;

/** Creates and starts it. */
export function startReflector<T extends KubeObject, I extends string = never>(
  options: ReflectorOptions<T, I>,
): Reflector<T, I> {
  const { client, resource, now, log } = options;
  const monotonic = options.monotonic ?? (() => performance.now());
  const store = createStore<T, I>({ indexes: options.indexes ?? ({} as IndexFunctions<T, I>), now });
  const announcer = createAnnouncer<T>({ kind: resource.kind, log });
  const stopping = new AbortController();
  const backoff = createBackoff({ firstMs: 100, maxMs: 10_000 });
  const synced = Promise.withResolvers<void>();
  synced.promise.catch(() => {});
  const state = {
    synced: false,
    openedAt: undefined as number | undefined,
    lastContactAt: now(),
    steppedAt: monotonic(),
    restarts: 0,
    lists: 0,
  };
  let lastError: string | undefined;
  /** Where the next watch goes on; undefined: list first. */
  let position: string | undefined;
  let highest = '0';

  const clean = (object: T): T => {
    delete (object.metadata as { managedFields?: unknown }).managedFields;
    return options.transform ? options.transform(object) : object;
  };
  const step = (): void => {
    state.steppedAt = monotonic();
  };
  const contact = (): void => {
    state.lastContactAt = now();
    step();
  };
  const reached = (resourceVersion: string): void => {
    position = resourceVersion;
    if (isNewer(resourceVersion, highest)) highest = resourceVersion;
    contact();
  };

  async function list(): Promise<void> {
    const { namespace, labelSelector, fieldSelector } = options;
    const listed = await client.list(resource, {
      namespace,
      labelSelector,
      fieldSelector,
      signal: stopping.signal,
      timeoutMs: LIST_TIMEOUT_MS,
      onPage: contact,
    });
    stopping.signal.throwIfAborted();
    const rolledBack = isNewer(highest, listed.resourceVersion);
    if (rolledBack) {
      log.warn({ kind: resource.kind, from: highest, to: listed.resourceVersion }, 'the API server went back in time');
      highest = listed.resourceVersion;
    }
    announcer.publish(store.replace(listed.items.map(clean), listed.resourceVersion, rolledBack));
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
        state.openedAt = monotonic();
        contact();
      },
      signal: stopping.signal,
    });
    for await (const { type, object } of events) {
      // One read may hold many events; those after the end are nobody's.
      stopping.signal.throwIfAborted();
      if (type === 'DELETED') announcer.publish(store.remove(clean(object)));
      else if (type !== 'BOOKMARK') announcer.publish(store.put(clean(object)));
      // An event that came again, or late, leads nowhere that we have not been.
      if (isNewer(object.metadata.resourceVersion, position ?? from)) reached(object.metadata.resourceVersion);
      else contact();
    }
  }

  /** List if need be, then one watch to its end. Returns how long to wait before the next, in milliseconds. */
  async function round(): Promise<number> {
    state.openedAt = undefined;
    try {
      if (position === undefined) await list();
      await watch(position!);
      // An orderly end after a while is how watches live; an instant end again and again is not.
      return isStable() ? 0 : backoff.next();
    } catch (error) {
      if (stopping.signal.aborted) return 0;
      state.restarts += 1;
      lastError = error instanceof Error ? error.message : String(error);
      // Not found: the kind is not served (yet); its definition may come or come back, with another history.
      // Silent: the server may be unable to tell what happens, and then only a list does.
      if (isExpired(error) || isNotFound(error) || isSilent(error)) position = undefined;
      log.warn({ kind: resource.kind, error: lastError, relist: position === undefined }, 'watch starts again');
      isStable();
      const asked = error instanceof KubeError ? (error.retryAfter ?? 0) * 1000 : 0;
      return Math.max(backoff.next(), Math.min(asked, MAX_RETRY_AFTER_MS));
    } finally {
      state.openedAt = undefined;
    }
  }
  function isStable(): boolean {
    const stable = state.openedAt !== undefined && monotonic() - state.openedAt >= STABLE_MS;
    if (stable) backoff.reset();
    return stable;
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      step();
      const waitMs = await round();
      step();
      if (waitMs > 0) await sleep(waitMs, stopping.signal).catch(() => {});
    }
  }
  const running = run();

  return {
    store,
    onChange: (handler) => announcer.add(handler, store.list()),
    async synced(signal) {
      const { promise, reject } = Promise.withResolvers<never>();
      const abort = (): void => reject(signal.reason);
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, { once: true });
      await Promise.race([synced.promise, promise]).finally(() => signal.removeEventListener('abort', abort));
    },
    remember(object) {
      announcer.publish(store.put(clean(object)));
    },
    forget(object) {
      announcer.publish(store.remove(object, { deleted: true }));
    },
    health() {
      const { lastContactAt, restarts, lists } = state;
      const watching = state.openedAt !== undefined;
      return {
        kind: resource.kind,
        synced: state.synced,
        healthy: state.synced && (watching || now() - lastContactAt < HEALTHY_WITHOUT_WATCH_MS),
        lastContactAt,
        sinceStepMs: monotonic() - state.steppedAt,
        restarts,
        lists,
        lastError,
      };
    },
    async stop() {
      stopping.abort(new Error('the reflector was stopped'));
      announcer.close();
      synced.reject(stopping.signal.reason);
      await running;
    },
  };
}
