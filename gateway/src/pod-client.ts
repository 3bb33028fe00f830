import { ApiError } from '@podwright/api/errors';
import {
  type ActivityRequest,
  FileListing,
  QuiesceResponse,
  type ViewportRequest,
  ViewportResponse,
} from '@podwright/api/pod-door';
import { safeText } from '@podwright/api/safe-text';
import type { Scope, Signer } from '@podwright/api/tokens';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import type { Dispatcher } from 'undici';
import type { ReadyPod } from './sessions/session-state.ts';

/** Calls to the door of a browser pod. What comes back is a pod's word: checked against its shape and capped. */
export interface PodClient {
  /** Chromium's discovery: path below `/cdp`, for example `/json/version`. */
  cdpJson(pod: ReadyPod, sessionUid: string, method: 'GET' | 'PUT', path: string): Promise<unknown>;
  quiesce(pod: ReadyPod, sessionUid: string, idleForMs: number): Promise<QuiesceResponse>;
  activity(pod: ReadyPod, sessionUid: string, kind: ActivityRequest['kind']): Promise<void>;
  setViewport(pod: ReadyPod, sessionUid: string, viewer: string, request: ViewportRequest): Promise<ViewportResponse>;
  downloads(pod: ReadyPod, sessionUid: string): Promise<FileListing>;
}

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 4 * 1024 * 1024;

export function createPodClient(options: { signer: Signer; dispatcher: Dispatcher }): PodClient {
  const { signer, dispatcher } = options;

  const call = async (
    pod: ReadyPod,
    token: { scope: Scope; subject: string; viewer?: string },
    method: 'GET' | 'PUT' | 'POST',
    path: string,
    body?: unknown,
  ): Promise<unknown> => {
    const authorization = `Bearer ${await signer.sign(pod.podUid, token)}`;
    const answer = await dispatcher
      .request({
        origin: pod.doorUrl,
        path,
        method,
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        body: body === undefined ? null : JSON.stringify(body),
      })
      .catch((error: unknown) => {
        throw new ApiError('browser_unavailable', undefined, { cause: error });
      });
    const text = await readCapped(answer.body);
    if (answer.statusCode === 409) throw new ApiError('exclusive_holder', wordsOf(text));
    if (answer.statusCode === 422) throw new ApiError('invalid_request', wordsOf(text));
    if (answer.statusCode >= 400)
      throw new ApiError('browser_unavailable', `The browser answered ${answer.statusCode}.`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  };
  const checked = <T>(schema: TSchema, value: unknown): T => {
    if (!Value.Check(schema, value)) throw new ApiError('browser_unavailable', 'The browser answered nonsense.');
    return value as T;
  };

  return {
    cdpJson: (pod, subject, method, path) => call(pod, { scope: 'cdp', subject }, method, `/cdp${path}`),
    async quiesce(pod, subject, idleForMs) {
      return checked(
        QuiesceResponse,
        await call(pod, { scope: 'quiesce', subject }, 'POST', '/quiesce', { idleForMs }),
      );
    },
    async activity(pod, subject, kind) {
      await call(pod, { scope: 'activity', subject }, 'POST', '/activity', { kind } satisfies ActivityRequest);
    },
    async setViewport(pod, subject, viewer, request) {
      return checked(
        ViewportResponse,
        await call(pod, { scope: 'control', subject, viewer }, 'PUT', '/viewport', request),
      );
    },
    async downloads(pod, subject) {
      return checked(FileListing, await call(pod, { scope: 'files', subject }, 'GET', '/files/downloads'));
    },
  };
}

async function readCapped(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new ApiError('browser_unavailable', 'The browser answered too much.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The detail of an error body, when it has one. */
export function wordsOf(text: string): string | undefined {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    return typeof detail === 'string' ? safeText(detail) : undefined;
  } catch {
    return undefined;
  }
}
