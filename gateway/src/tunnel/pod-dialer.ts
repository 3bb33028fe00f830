import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '@podwright/api/errors';
import { wordsOf } from '../pod-client.ts';
import type { ReadyPod } from '../sessions/session-state.ts';

/** The pod's side of a WebSocket handshake that the client began: the client's own key travels through. */
export interface Dialled {
  upstream: Socket;
  /** Headers of the 101 answer. */
  headers: IncomingHttpHeaders;
}

/** How long a pod that is ready may take to answer a handshake. */
const HANDSHAKE_MS = 10_000;

/** Headers of the client's handshake that concern the WebSocket itself. Nothing else of the client's reaches the pod. */
const PASSED = ['sec-websocket-key', 'sec-websocket-version', 'sec-websocket-extensions'] as const;

const MAX_WORDS = 4_096;

/** What a pod that answers instead of upgrading has to say; a 409 names the client that holds the browser. */
async function refusalOf(answer: IncomingMessage): Promise<ApiError> {
  if (answer.statusCode !== 409) {
    answer.resume();
    return new ApiError('browser_unavailable', `The browser answered ${answer.statusCode}.`);
  }
  let text = '';
  for await (const chunk of answer.setEncoding('utf8') as AsyncIterable<string>) {
    if (text.length < MAX_WORDS) text += chunk;
  }
  return new ApiError('exclusive_holder', wordsOf(text));
}

/** Throws `exclusive_holder` with the pod's words, or `browser_unavailable`. */
export function dialPod(options: {
  pod: ReadyPod;
  path: string;
  token: string;
  client: IncomingHttpHeaders;
  protocol?: string;
  signal: AbortSignal;
}): Promise<Dialled> {
  const { pod, path, token, client, protocol } = options;
  const { promise, resolve, reject } = Promise.withResolvers<Dialled>();
  const passed = PASSED.flatMap((name) => (client[name] === undefined ? [] : [[name, client[name]]]));
  const dial = request(new URL(path, pod.doorUrl), {
    agent: false,
    signal: AbortSignal.any([options.signal, AbortSignal.timeout(HANDSHAKE_MS)]),
    headers: {
      ...(Object.fromEntries(passed) as Record<string, string>),
      connection: 'Upgrade',
      upgrade: 'websocket',
      authorization: `Bearer ${token}`,
      ...(protocol === undefined ? {} : { 'sec-websocket-protocol': protocol }),
    },
  });
  dial.once('upgrade', (answer: IncomingMessage, upstream: Socket, head: Buffer) => {
    upstream.setNoDelay(true);
    upstream.setTimeout(0);
    if (head.length > 0) upstream.unshift(head);
    resolve({ upstream, headers: answer.headers });
  });
  dial.once('response', (answer: IncomingMessage) => {
    refusalOf(answer).then(reject, reject);
  });
  dial.once('error', (error) => reject(new ApiError('browser_unavailable', undefined, { cause: error })));
  dial.end();
  return promise;
}
