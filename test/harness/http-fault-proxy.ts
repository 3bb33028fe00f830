import { readFile } from 'node:fs/promises';
import { type Http2ServerRequest, type Http2ServerResponse, createSecureServer } from 'node:http2';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';

/** A request that came through. */
export interface SeenRequest {
  kind: 'list' | 'watch' | 'other';
  url: URL;
  /** Milliseconds on the monotonic clock. */
  at: number;
  token: string;
  /** Its number among those of its kind, from 1. */
  nth: number;
  /** Status of the answer, once there is one. */
  status?: number;
}

/**
 * What happens to a request instead of being passed on: an answer of our own, none at all, or the server's own body
 * rewritten on its way. A body that throws `new Reset()` resets the connection.
 */
export type Fault =
  | { answer: { status: number; headers?: Record<string, string>; body: object | string } }
  | 'hang'
  | { body: (chunks: AsyncIterable<Buffer>) => AsyncIterable<Buffer | string> };

export class Reset extends Error {
  override readonly name = 'Reset';
}

/** A watch whose answer is being sent. */
export interface LiveWatch {
  readonly seen: SeenRequest;
  send(text: string): void;
  /** As a server does whose time is up. */
  end(): void;
}

/**
 * An HTTP/1.1 and HTTP/2 server that passes requests to an API server, and fails in the ways that API servers and what
 * stands before them do. `tcp` fails one layer lower: it stands before the HTTP server.
 */
export interface HttpFaultProxy {
  url: string;
  tcp: FaultProxy;
  /** Asked for every request; undefined passes it on. */
  onRequest: ((seen: SeenRequest) => Fault | undefined) | undefined;
  readonly seen: SeenRequest[];
  readonly watches: ReadonlySet<LiveWatch>;
  /** Watches stay silent although their connection lives; what the server sends meanwhile waits. */
  hold(): void;
  release(): void;
  close(): Promise<void>;
}

export async function startHttpFaultProxy(options: {
  /** Origin of the API server. */
  target: string;
  /** Folder of `apiserver.crt` and `apiserver.key`. */
  certificates: string;
}): Promise<HttpFaultProxy> {
  const [cert, key] = await Promise.all(
    ['apiserver.crt', 'apiserver.key'].map((name) => readFile(join(options.certificates, name))),
  );
  const agent = new Agent({ keepAlive: true, ca: cert });
  const seen: SeenRequest[] = [];
  const watches = new Set<LiveWatch>();
  const waiting: (() => void)[] = [];
  let held = false;
  const server = createSecureServer({ cert, key, allowHTTP1: true }, (incoming, outgoing) => {
    const record = note(incoming, seen);
    for (const side of [incoming, outgoing]) side.on('error', () => {});
    const fault = proxy.onRequest?.(record);
    if (fault === 'hang') return;
    if (fault && 'answer' in fault) {
      const { status, headers, body } = fault.answer;
      record.status = status;
      outgoing.writeHead(status, { 'content-type': 'application/json', ...headers });
      outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
      return;
    }
    pass(incoming, outgoing, record, fault).catch((error: unknown) => {
      if (error instanceof Reset) proxy.tcp.reset();
      else outgoing.stream?.destroy();
    });
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  server.on('sessionError', () => {});

  async function pass(
    incoming: Http2ServerRequest,
    outgoing: Http2ServerResponse,
    record: SeenRequest,
    fault: { body: (chunks: AsyncIterable<Buffer>) => AsyncIterable<Buffer | string> } | undefined,
  ): Promise<void> {
    const { response, abort } = await ask(incoming, options.target, agent);
    const status = response.statusCode ?? 502;
    record.status = status;
    outgoing.on('close', abort);
    outgoing.writeHead(status, endToEnd(response.headers));
    if (record.kind === 'watch' && status === 200) {
      outgoing.on('close', () => watches.delete(live));
      const live: LiveWatch = { seen: record, send: (text) => void outgoing.write(text), end: abort };
      watches.add(live);
    }
    const chunks = record.kind === 'watch' ? whileNotHeld(response) : (response as AsyncIterable<Buffer>);
    try {
      for await (const chunk of fault ? fault.body(chunks) : chunks) outgoing.write(chunk);
    } catch (error) {
      // Our own `end` shows as an aborted answer of the server's.
      if (error instanceof Reset || record.kind !== 'watch') throw error;
    }
    outgoing.end();
  }

  async function* whileNotHeld(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      if (held) await new Promise<void>((resolve) => waiting.push(resolve));
      yield chunk;
    }
  }

  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const tcp = await startFaultProxy({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  const proxy: HttpFaultProxy = {
    url: `https://127.0.0.1:${tcp.port}`,
    tcp,
    onRequest: undefined,
    seen,
    watches,
    hold() {
      held = true;
    },
    release() {
      held = false;
      for (const go of waiting.splice(0)) go();
    },
    async close() {
      proxy.release();
      await tcp.close();
      for (const socket of sockets) socket.destroy();
      agent.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
  return proxy;
}

function note(incoming: Http2ServerRequest, seen: SeenRequest[]): SeenRequest {
  const url = new URL(incoming.url, 'https://api');
  const kind = url.searchParams.get('watch') === 'true' ? 'watch' : incoming.method === 'GET' ? 'list' : 'other';
  const record: SeenRequest = {
    kind,
    url,
    at: performance.now(),
    token: incoming.headers.authorization?.replace(/^Bearer /, '') ?? '',
    nth: seen.filter((other) => other.kind === kind).length + 1,
  };
  seen.push(record);
  return record;
}

/** Passes a request on, without a body: a watcher only reads. */
function ask(
  incoming: Http2ServerRequest,
  target: string,
  agent: Agent,
): Promise<{ response: IncomingMessage; abort: () => void }> {
  const headers = Object.fromEntries(Object.entries(endToEnd(incoming.headers)).filter(([name]) => name !== 'host'));
  return new Promise((resolve, reject) => {
    const asked = request(new URL(incoming.url, target), { method: incoming.method, headers, agent }, (response) => {
      response.on('error', () => {});
      resolve({ response, abort: () => asked.destroy() });
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** What concerns one connection only, and what would not be true of a rewritten body. */
const NOT_PASSED_ON = new Set(
  'connection keep-alive transfer-encoding upgrade http2-settings accept-encoding content-length'.split(' '),
);

/** Also without pseudo headers of HTTP/2. */
function endToEnd(headers: Record<string, string | string[] | undefined>): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(([name, value]) => {
    return value !== undefined && !name.startsWith(':') && !NOT_PASSED_ON.has(name);
  });
  return Object.fromEntries(kept) as Record<string, string | string[]>;
}
