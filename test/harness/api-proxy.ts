import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '@podwright/kube/connection';
import type { Dispatcher } from 'undici';
import { type ApiWrite, createWriteReader } from './api-write.ts';

/** What happens to one write on its way. */
export interface Interceptor {
  /** Before it is sent on. `drop`: the caller's connection breaks and the API server never sees it; a refusal: the answer. */
  before?(write: ApiWrite): 'forward' | 'drop' | { status: number; body: object };
  /** The API server has answered. `drop`: the caller never hears of it. */
  after?(write: ApiWrite, status: number): 'answer' | 'drop';
  /** The answer is on its way to the caller. */
  answered?(write: ApiWrite, status: number): void;
}

/**
 * Stands between an operator and the API server, as `kubectl proxy` does: plain HTTP, the credentials are added here.
 * It sees every write, may lose it or its answer, and may let what is read come late. Renewals of leases pass unseen.
 */
export interface ApiProxy {
  url: string;
  /** Undefined: everything passes. */
  interceptor: Interceptor | undefined;
  /** Lists, gets and events of watches are held back by this long, in order: the reader lives in the past. */
  readDelayMs: number;
  /** Milliseconds on the monotonic clock since the last write was answered. */
  quietForMs(): number;
  stop(): Promise<void>;
}

export async function startApiProxy(options: { connection: Connection }): Promise<ApiProxy> {
  const { connection } = options;
  const read = createWriteReader();
  let lastWriteAt = performance.now();
  let underWay = 0;

  async function forward(
    dispatcher: Dispatcher,
    request: IncomingMessage,
    body: Buffer | null,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const { host: _h, connection: _c, 'content-length': _l, 'transfer-encoding': _t, ...headers } = request.headers;
    return dispatcher.request({
      origin: connection.server,
      path: request.url ?? '/',
      method: request.method ?? 'GET',
      headers: { ...headers, ...(await connection.headers()) },
      body,
      signal,
    });
  }

  function relayHead(response: ServerResponse, from: Dispatcher.ResponseData): void {
    const { 'transfer-encoding': _t, connection: _c, ...headers } = from.headers;
    response.writeHead(from.statusCode, headers);
  }

  async function serveWrite(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const write = read(request.method ?? '', request.url ?? '', body);
    const { interceptor } = proxy;
    const verdict = interceptor?.before?.(write) ?? 'forward';
    if (verdict === 'drop') return void request.socket.destroy();
    if (verdict !== 'forward') {
      const text = JSON.stringify(verdict.body);
      response.writeHead(verdict.status, { 'content-type': 'application/json' }).end(text);
      return;
    }
    const answer = await forward(connection.requests, request, body, AbortSignal.timeout(30_000));
    const text = await answer.body.text();
    if (interceptor?.after?.(write, answer.statusCode) === 'drop') return void request.socket.destroy();
    const { 'transfer-encoding': _t, connection: _c, 'content-length': _l, ...headers } = answer.headers;
    response.writeHead(answer.statusCode, headers);
    response.end(text, () => interceptor?.answered?.(write, answer.statusCode));
  }

  async function serveRead(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const isWatch = (request.url ?? '').includes('watch=');
    const answer = await forward(isWatch ? connection.watches : connection.requests, request, null, gone.signal);
    if (!isWatch) {
      const text = await answer.body.text();
      // The data is of now and arrives later: what a slow cache or a lagging replica does.
      if (proxy.readDelayMs > 0) await sleep(proxy.readDelayMs);
      const { 'transfer-encoding': _t, connection: _c, 'content-length': _l, ...headers } = answer.headers;
      response.writeHead(answer.statusCode, headers).end(text);
      return;
    }
    relayHead(response, answer);
    response.flushHeaders();
    await pipeline(
      answer.body,
      async function* late(chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          if (proxy.readDelayMs > 0) await sleep(proxy.readDelayMs);
          yield chunk;
        }
      },
      response,
    );
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') return serveRead(request, response);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if ((request.url ?? '').includes('/leases')) {
      const answer = await forward(connection.requests, request, body, AbortSignal.timeout(10_000));
      relayHead(response, answer);
      await pipeline(answer.body, response);
      return;
    }
    underWay += 1;
    try {
      await serveWrite(request, response, body);
    } finally {
      underWay -= 1;
      lastWriteAt = performance.now();
    }
  }

  const server = createServer((request, response) => {
    // A caller that was killed and a server that ends a watch are what this proxy is for.
    serve(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const proxy: ApiProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    interceptor: undefined,
    readDelayMs: 0,
    quietForMs: () => (underWay > 0 ? 0 : performance.now() - lastWriteAt),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}
