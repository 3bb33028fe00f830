import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { type Dispatcher, request } from 'undici';
import { Value } from 'typebox/value';
import { ApiError } from '@podwright/api/errors';
import { PORT } from '@podwright/api/names';
import { FileListing } from '@podwright/api/pod-door';
import { safeText } from '@podwright/api/safe-text';
import { ProfileReport, STORAGE_STATE_MAX_BYTES } from '@podwright/api/storage-state';
import type { Scope, Signer } from '@podwright/api/tokens';

const LISTING_MAX_BYTES = 4 * 1024 * 1024;
const REPORT_MAX_BYTES = 128 * 1024;

/** The pod of one session, as the keeper sees it. Everything it answers is hostile input. */
export interface PodDoorClient {
  listDownloads(signal: AbortSignal): Promise<FileListing['files']>;
  download(path: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Snapshot of the storage state, unchecked. */
  readProfile(signal: AbortSignal): Promise<Buffer>;
  /** Puts a state in; returns what the browser did not take. */
  loadProfile(state: Buffer, signal: AbortSignal): Promise<string[]>;
  /** What the pod kept was stored; it may end. */
  markCollected(signal: AbortSignal): Promise<void>;
}

export interface PodAddress {
  podIP: string;
  podUid: string;
  sessionUid: string;
}

/** A client that signs every request with a token of its own, for this pod, session and scope. */
export function createPodDoorClient(options: {
  address: PodAddress;
  signer: Signer;
  dispatcher?: Dispatcher;
  /** Only tests have another than the pod's port. */
  port?: number;
}): PodDoorClient {
  const { podIP, podUid, sessionUid } = options.address;
  const family = isIP(podIP);
  if (family === 0) throw new ApiError('invalid_request', 'podIP is not an address.');
  const base = `http://${family === 6 ? `[${podIP}]` : podIP}:${options.port ?? PORT.podDoor}`;

  const call = async (
    method: 'GET' | 'PUT' | 'POST',
    path: string,
    scope: Scope,
    signal: AbortSignal,
    body?: Buffer,
  ): Promise<Dispatcher.ResponseData> => {
    const token = await options.signer.sign(podUid, { scope, subject: sessionUid });
    const answer = await request(`${base}${path}`, {
      method,
      signal,
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body } : {}),
      ...(options.dispatcher ? { dispatcher: options.dispatcher } : {}),
    }).catch((error: unknown) => {
      throw new ApiError('browser_unavailable', 'The pod does not answer.', { cause: error });
    });
    if (answer.statusCode >= 300) {
      await answer.body.dump();
      throw new ApiError(
        'browser_unavailable',
        `The pod answered ${answer.statusCode} to ${method} ${path.slice(0, 60)}.`,
      );
    }
    return answer;
  };

  return {
    async listDownloads(signal) {
      const answer = await call('GET', '/files/downloads', 'files', signal);
      const listing = parseJson(await readUpTo(answer.body, LISTING_MAX_BYTES));
      if (!Value.Check(FileListing, listing)) throw new ApiError('browser_unavailable', 'The pod lists no files.');
      return listing.files;
    },

    async download(path, signal) {
      const encoded = path.split('/').map(encodeURIComponent).join('/');
      return fromPod((await call('GET', `/files/downloads/${encoded}`, 'files', signal)).body);
    },

    async readProfile(signal) {
      const answer = await call('GET', '/profile', 'profile', signal);
      return readUpTo(answer.body, STORAGE_STATE_MAX_BYTES);
    },

    async loadProfile(state, signal) {
      const answer = await call('PUT', '/profile', 'profile', signal, state);
      const text = await readUpTo(answer.body, REPORT_MAX_BYTES);
      // Pods from before an upgrade answer with nothing.
      if (text.length === 0) return [];
      const report = parseJson(text);
      if (!Value.Check(ProfileReport, report)) throw new ApiError('browser_unavailable', 'The pod reports nothing.');
      return report.missing.map((words) => safeText(words, 300));
    },

    async markCollected(signal) {
      const answer = await call('POST', '/collected', 'collect', signal);
      await answer.body.dump();
    },
  };
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch (error) {
    throw new ApiError('browser_unavailable', 'The pod answered with something that is not JSON.', { cause: error });
  }
}

/** A stream that breaks off is the pod's trouble, not the store's. */
async function* fromPod(body: Readable): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk as Uint8Array;
  } catch (error) {
    throw new ApiError('browser_unavailable', 'The pod broke off.', { cause: error });
  }
}

async function readUpTo(body: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of fromPod(body)) {
    size += chunk.length;
    if (size > maxBytes) throw new ApiError('too_large', `The pod sent more than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
