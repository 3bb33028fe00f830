import type { Dispatcher } from 'undici';
import type { Connection } from './connection.ts';
import { KubeError, errorOfStatus, isUnauthorized } from './kube-error.ts';
import { type KubeObject, type ResourceType, apiVersionOf, pathOf } from './resource.ts';
import { type ListOptions, listPages } from './list-pages.ts';
import { type Query, withQuery } from './query.ts';
import { type WriteFact, writeFact } from './write-fact.ts';
import { type WatchEvent, readWatchEvents } from './watch-stream.ts';

/** How long one request may take when the caller says nothing. */
const REQUEST_TIMEOUT_MS = 10_000;

/** One object. `namespace` is left out for cluster-scoped kinds. */
export interface Target {
  namespace?: string | undefined;
  name: string;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Deadline of this call in milliseconds. Default 10 s. */
  timeoutMs?: number;
}

export interface Selection {
  /** Absent: all namespaces. */
  namespace?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
}

export interface ListResult<T> {
  items: T[];
  /** Where a watch goes on. */
  resourceVersion: string;
}

export interface ApplyOptions extends CallOptions {
  fieldManager: string;
  subresource?: string;
  /** Take fields over from other managers. Default true: a manager of ours owns its block. */
  force?: boolean;
}

export interface DeleteOptions extends CallOptions {
  /** The delete is refused (409) when the object is another one by now. */
  uid?: string;
  resourceVersion?: string;
  gracePeriodSeconds?: number;
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
}

/** A patch: RFC 6902 operations, or a merge. Put `metadata.resourceVersion` into a merge to guard it (409 on any change). */
export type Patch =
  | { type: 'merge'; body: unknown }
  | { type: 'json'; body: { op: 'add' | 'remove' | 'replace' | 'test'; path: string; value?: unknown }[] };

/** Typed REST client. Every method throws KubeError; see kube-error.ts for what to ask of it. */
export interface Client {
  readonly namespace: string;
  get<T extends KubeObject>(
    type: ResourceType<T>,
    target: Target,
    options?: CallOptions & { subresource?: string },
  ): Promise<T>;
  /** Like get, with `undefined` instead of NotFound. */
  find<T extends KubeObject>(type: ResourceType<T>, target: Target, options?: CallOptions): Promise<T | undefined>;
  /** All pages, the deadline counting for each. `resourceVersion: '0'` reads from the server's cache. */
  list<T extends KubeObject>(
    type: ResourceType<T>,
    selection?: Selection & CallOptions & ListOptions,
  ): Promise<ListResult<T>>;
  /** Events after `resourceVersion` until the server ends the stream. Throws KubeError 410 when it must be listed again. */
  watch<T extends KubeObject>(
    type: ResourceType<T>,
    selection: Selection & {
      resourceVersion: string;
      timeoutSeconds: number;
      quietMs: number;
      onOpen?: () => void;
      signal: AbortSignal;
    },
  ): AsyncIterable<WatchEvent<T>>;
  /** Creates in `metadata.namespace`; a subresource (`eviction`, `token`) needs `metadata.name`. */
  create<T extends KubeObject, R = T>(
    type: ResourceType<T>,
    object: Writable<T>,
    options?: CallOptions & { subresource?: string; fieldManager?: string },
  ): Promise<R>;
  /** Replaces; `metadata.resourceVersion` guards it. */
  update<T extends KubeObject>(type: ResourceType<T>, object: T, options?: CallOptions): Promise<T>;
  /** Server-side apply: what is given is owned, what was given before and is left out now is removed. */
  apply<T extends KubeObject>(type: ResourceType<T>, object: Writable<T>, options: ApplyOptions): Promise<T>;
  patch<T extends KubeObject>(
    type: ResourceType<T>,
    target: Target,
    patch: Patch,
    options?: CallOptions & { subresource?: string; fieldManager?: string },
  ): Promise<T>;
  /** The object as it is being deleted, or `undefined` when it was gone already. */
  delete<T extends KubeObject>(type: ResourceType<T>, target: Target, options?: DeleteOptions): Promise<T | undefined>;
  /** The API server's clock in milliseconds since the epoch, to the second. */
  serverTime(options?: CallOptions): Promise<number>;
  /** For everything else: a path of the API server, JSON in and out. */
  raw<R>(method: Dispatcher.HttpMethod, path: string, body?: unknown, options?: CallOptions): Promise<R>;
}

/** What a writer gives: parts of an object, with at least its name. */
export type Writable<T extends KubeObject> = DeepPartial<Omit<T, 'metadata'>> & {
  metadata: DeepPartial<T['metadata']> & { name?: string; generateName?: string };
};
type DeepPartial<T> = T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]?: DeepPartial<T[K]> } : T;

interface Content {
  onHeaders?: (headers: Record<string, string | string[] | undefined>) => void;
  query?: Query;
  body?: unknown;
  contentType?: string;
}

export function createClient(options: {
  connection: Connection;
  userAgent: string;
  /** Called right before every request that changes something; what it throws stops the request. A leader's fence. */
  beforeWrite?: () => void;
  /** Called when a request that changes something was answered, or given up. */
  onWrite?: (fact: WriteFact) => void;
}): Client {
  const { connection } = options;

  function askBeforeWrite(): void {
    try {
      options.beforeWrite?.();
    } catch (error) {
      throw new NotSent('stopped before it was sent', { cause: error });
    }
  }

  async function exchange(
    method: Dispatcher.HttpMethod,
    path: string,
    request: Content,
    signal: AbortSignal,
  ): Promise<unknown> {
    const credentials = await connection.headers();
    // As late as can be: a process may have been stopped in any line before.
    if (method !== 'GET') askBeforeWrite();
    const response = await connection.requests.request({
      origin: connection.server,
      path: withQuery(path, request.query),
      method,
      signal,
      headers: {
        ...credentials,
        accept: 'application/json',
        'user-agent': options.userAgent,
        ...(request.body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
      },
      body: request.body === undefined ? null : JSON.stringify(request.body),
    });
    request.onHeaders?.(response.headers);
    const text = await response.body.text();
    if (response.statusCode >= 400) throw errorOfStatus(response.statusCode, text, response.headers);
    wrote(method, path, request, response.statusCode);
    return text === '' ? undefined : JSON.parse(text);
  }

  async function send(method: Dispatcher.HttpMethod, path: string, request: Content & CallOptions): Promise<unknown> {
    const timeout = AbortSignal.timeout(request.timeoutMs ?? REQUEST_TIMEOUT_MS);
    const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
    try {
      return await exchange(method, path, request, signal).catch(async (error: unknown) => {
        // Refused before anything was done: a token that was replaced on disk makes it good.
        if (isUnauthorized(error) && (await connection.renew())) return exchange(method, path, request, signal);
        throw error;
      });
    } catch (error) {
      const known = asKubeError(error, `${method} ${path}`, request.signal);
      if (!(error instanceof NotSent)) wrote(method, path, request, known instanceof KubeError ? known.code : 0);
      throw known;
    }
  }

  function wrote(method: string, path: string, { contentType }: Content, code: number): void {
    if (method !== 'GET') options.onWrite?.(writeFact(method, path, contentType, code));
  }

  const client: Client = {
    namespace: connection.namespace,
    async get(type, target, call = {}) {
      return named(type, await send('GET', pathOf(type, { ...target, subresource: call.subresource }), call));
    },
    async find(type, target, call = {}) {
      return client.get(type, target, call).catch((error: unknown) => {
        if (error instanceof KubeError && error.code === 404) return undefined;
        throw error;
      });
    },
    async list(type, selection = {}) {
      const listed = await listPages(selection, (query) =>
        send('GET', pathOf(type, { namespace: selection.namespace }), { ...selection, query }),
      );
      return { ...listed, items: listed.items.map((item) => named(type, item)) };
    },
    watch(type, selection) {
      return readWatchEvents({
        connection,
        userAgent: options.userAgent,
        path: withQuery(pathOf(type, { namespace: selection.namespace }), {
          watch: true,
          allowWatchBookmarks: true,
          resourceVersion: selection.resourceVersion,
          timeoutSeconds: selection.timeoutSeconds,
          labelSelector: selection.labelSelector,
          fieldSelector: selection.fieldSelector,
        }),
        quietMs: selection.quietMs,
        onOpen: selection.onOpen,
        signal: selection.signal,
      });
    },
    async create(type, object, call = {}) {
      const { namespace, name } = object.metadata as { namespace?: string; name?: string };
      const path = pathOf(type, {
        namespace,
        name: call.subresource === undefined ? undefined : name,
        subresource: call.subresource,
      });
      const query = { fieldManager: call.fieldManager };
      return named(type, await send('POST', path, { ...call, query, body: named(type, object) }));
    },
    async update(type, object, call = {}) {
      return named(type, await send('PUT', pathOf(type, object.metadata), { ...call, body: named(type, object) }));
    },
    async apply(type, object, call) {
      const { namespace, name } = object.metadata as { namespace?: string; name?: string };
      const path = pathOf(type, { namespace, name, subresource: call.subresource });
      const query = { fieldManager: call.fieldManager, force: call.force ?? true };
      // JSON is YAML, and the server reads it faster.
      const contentType = 'application/apply-patch+yaml';
      return named(type, await send('PATCH', path, { ...call, query, body: named(type, object), contentType }));
    },
    async patch(type, target, patch, call = {}) {
      const contentType = patch.type === 'merge' ? 'application/merge-patch+json' : 'application/json-patch+json';
      const path = pathOf(type, { ...target, subresource: call.subresource });
      const query = { fieldManager: call.fieldManager };
      return named(type, await send('PATCH', path, { ...call, query, body: patch.body, contentType }));
    },
    async delete(type, target, call = {}) {
      const { uid, resourceVersion, gracePeriodSeconds, propagationPolicy, ...rest } = call;
      const preconditions = uid === undefined && resourceVersion === undefined ? undefined : { uid, resourceVersion };
      const body = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions, gracePeriodSeconds, propagationPolicy };
      try {
        const answer = await send('DELETE', pathOf(type, target), { ...rest, body });
        // The server answers with the object, or with a Status when it is gone at once.
        return (answer as KubeObject | undefined)?.kind === 'Status' ? undefined : named(type, answer);
      } catch (error) {
        if (error instanceof KubeError && error.code === 404) return undefined;
        throw error;
      }
    },
    async serverTime(call = {}) {
      let date: unknown;
      await send('GET', '/version', { ...call, onHeaders: (headers) => (date = headers['date']) });
      const at = Date.parse(String(date));
      if (Number.isNaN(at)) throw new KubeError(0, 'Unknown', `the API server sent no Date: ${String(date)}`);
      return at;
    },
    async raw<R>(method: Dispatcher.HttpMethod, path: string, body?: unknown, call: CallOptions = {}) {
      return (await send(method, path, { ...call, body })) as R;
    },
  };
  return client;
}

/** Items of lists come without kind and version; callers and patches want both. */
function named<T>(type: ResourceType<KubeObject>, value: unknown): T {
  return { apiVersion: apiVersionOf(type), kind: type.kind, ...(value as object) } as T;
}

/** Carries what `beforeWrite` threw past the words for trouble below HTTP. */
class NotSent extends Error {}

/** The caller's own abort stays what it is; everything else below HTTP becomes "no answer". */
function asKubeError(error: unknown, what: string, caller: AbortSignal | undefined): unknown {
  if (error instanceof KubeError) return error;
  if (error instanceof NotSent) return error.cause;
  if (caller?.aborted) return caller.reason;
  const cause = error as { name?: string; message?: string; code?: string };
  return cause.name === 'TimeoutError'
    ? new KubeError(0, 'Timeout', `${what}: no answer in time`, { cause: error })
    : new KubeError(0, 'Connection', `${what}: ${cause.code ?? cause.message ?? 'connection failed'}`, {
        cause: error,
      });
}
