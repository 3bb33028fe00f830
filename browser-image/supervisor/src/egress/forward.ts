import { Agent, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse, request as send } from 'node:http';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Dialer, EgressError } from './dial.ts';
import { type UpstreamProxy, proxyAuthorization } from './upstream.ts';

/** Headers that belong to one connection, not to the message (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** An agent for one request: the connection was made for it and is not kept, so nothing is reused unjudged. */
function agentFor(socket: Duplex): Agent {
  const agent = new Agent({ keepAlive: false });
  agent.createConnection = () => socket;
  return agent;
}

/** Forwards one request in absolute form. Throws EgressError before anything was answered. */
export function createForwarder(options: {
  dialer: Dialer;
  upstream: () => UpstreamProxy | undefined;
}): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const { dialer } = options;

  /** Where the request goes, and in which form. */
  async function connect(
    url: URL,
    signal: AbortSignal,
  ): Promise<{ socket: Duplex; path: string; headers: OutgoingHttpHeaders }> {
    const destination = { host: url.hostname, port: url.port === '' ? 80 : Number(url.port) };
    const path = `${url.pathname}${url.search}`;
    const proxy = options.upstream();
    const direct = async () => ({ socket: await dialer.connect(destination, signal), path, headers: {} });
    if (!proxy || proxy.protocol === 'socks5') return direct();
    const { inside } = await dialer.check(destination, signal);
    if (inside) return direct();
    const authorization = proxyAuthorization(proxy);
    return {
      socket: await dialer.connectToProxy(proxy, signal),
      path: url.href,
      headers: authorization === undefined ? {} : { 'proxy-authorization': authorization },
    };
  }

  return async (request, response) => {
    const url = readAbsoluteUrl(request.url ?? '');
    // A client that leaves takes along what was opened for it, whenever that is.
    const left = new AbortController();
    response.on('close', () => left.abort());
    const { socket, path, headers } = await connect(url, left.signal);
    const close = (): void => void socket.destroy();
    if (left.signal.aborted) close();
    else left.signal.addEventListener('abort', close, { once: true });
    const answer = Promise.withResolvers<IncomingMessage>();
    const outward = send({
      agent: agentFor(socket),
      method: request.method ?? 'GET',
      path,
      headers: { ...endToEnd(request), host: url.host, ...headers },
      setHost: false,
    });
    outward.on('response', answer.resolve);
    outward.on('error', () => answer.reject(new EgressError(502, 'the destination broke the connection')));
    request.pipe(outward);
    const incoming = await answer.promise;
    response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage ?? '', endToEnd(incoming));
    // What breaks from here on the client sees as a broken answer.
    await pipeline(incoming, response).catch(() => response.destroy());
  };
}

/** The headers of a message that are meant for its end, with repeated ones kept apart. */
function endToEnd(message: IncomingMessage): OutgoingHttpHeaders {
  const named = new Set((message.headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(
    Object.entries(message.headersDistinct).filter(([name]) => !HOP_BY_HOP.has(name) && !named.has(name)),
  );
}

/** The URL of a request in absolute form. The authority in it counts; a Host header that says otherwise is replaced. */
function readAbsoluteUrl(text: string): URL {
  const url = /^http:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new EgressError(403, 'this is a proxy and wants the whole address of an http page');
  if (url.username !== '' || url.password !== '') throw new EgressError(403, 'the address holds credentials');
  if (isIP(url.hostname) === 0 && url.hostname === '') throw new EgressError(403, 'the address names no host');
  return url;
}
