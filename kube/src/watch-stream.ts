import type { Connection } from './connection.ts';
import { KubeError, errorOfStatus } from './kube-error.ts';
import type { KubeObject } from './resource.ts';

export type WatchEvent<T extends KubeObject> =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T }
  /** Everything up to this resourceVersion was sent. */
  | { type: 'BOOKMARK'; object: { metadata: { resourceVersion: string } } };

/** One event at most; the server's own limit for an object is 3 MiB with its managed fields. */
const MAX_LINE = 8 * 1024 * 1024;

/**
 * One watch connection as events. Ends when the server ends it (its timeoutSeconds, a restart).
 * Throws KubeError: 410 for an expired resourceVersion, 0 when the connection broke or was silent for `quietMs`
 * (`isSilent`).
 */
export async function* readWatchEvents<T extends KubeObject>(options: {
  connection: Connection;
  userAgent: string;
  path: string;
  /** The server sends a bookmark about once a minute, so longer silence is a dead connection. */
  quietMs: number;
  /** Called when the server has accepted the watch; the first event may be a minute away. */
  onOpen?: (() => void) | undefined;
  signal: AbortSignal;
}): AsyncGenerator<WatchEvent<T>> {
  const { connection, signal } = options;
  try {
    const response = await connection.watches.request({
      origin: connection.server,
      path: options.path,
      method: 'GET',
      signal,
      headersTimeout: 10_000,
      bodyTimeout: options.quietMs,
      headers: {
        ...(await connection.headers()),
        accept: 'application/json',
        'user-agent': options.userAgent,
      },
    });
    // The next attempt comes with what is on disk by then.
    if (response.statusCode === 401) await connection.renew();
    if (response.statusCode >= 400)
      throw errorOfStatus(response.statusCode, await response.body.text(), response.headers);
    options.onOpen?.();
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      rest += decoder.decode(chunk, { stream: true });
      let end = rest.indexOf('\n');
      let start = 0;
      while (end !== -1) {
        const line = rest.slice(start, end);
        start = end + 1;
        end = rest.indexOf('\n', start);
        if (line === '') continue;
        const event = parseEvent<T>(line);
        if (event) yield event;
      }
      rest = rest.slice(start);
      if (rest.length > MAX_LINE) throw new KubeError(0, 'TooLong', 'a watch event is longer than any object may be');
    }
    if (rest.trim() !== '') throw new KubeError(0, 'Truncated', 'the watch ended in the middle of an event');
  } catch (error) {
    if (error instanceof KubeError) throw error;
    if (signal.aborted) throw signal.reason;
    const { code, message } = error as { code?: string; message?: string };
    if (code === 'UND_ERR_BODY_TIMEOUT')
      throw new KubeError(0, 'Silent', `the watch was silent for ${options.quietMs} ms`, { cause: error });
    throw new KubeError(0, 'Connection', `watch broke: ${code ?? message ?? 'unknown cause'}`, { cause: error });
  }
}

const TYPES = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']);

/** Undefined for a type that a later server may have, and that says nothing to us. */
function parseEvent<T extends KubeObject>(line: string): WatchEvent<T> | undefined {
  const event = JSON.parse(line) as { type: string; object: unknown };
  if (TYPES.has(event.type)) return event as WatchEvent<T>;
  if (event.type !== 'ERROR') return undefined;
  const status = event.object as { code?: number };
  throw errorOfStatus(status.code ?? 500, JSON.stringify(status));
}
