import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Destination, type Dialer, EgressError } from './dial.ts';
import { createForwarder } from './forward.ts';
import { joinTunnel } from './tunnel.ts';
import type { UpstreamProxy } from './upstream.ts';

export interface EgressProxy {
  listen(options: { host: string; port: number }): Promise<{ port: number }>;
  close(): void;
}

/**
 * The one way out of the browser: an HTTP proxy that judges every destination. Tunnels (CONNECT) are judged when they open
 * and by the server name in them; requests in absolute form one by one, on kept connections too.
 */
export function createEgressProxy(options: {
  dialer: Dialer;
  upstream: () => UpstreamProxy | undefined;
  /** A destination was refused; for counters. */
  refused: () => void;
}): EgressProxy {
  const { dialer } = options;
  const forward = createForwarder(options);
  const tunnels = new Set<Duplex>();

  function onRefusal(error: unknown): EgressError {
    if (error instanceof EgressError && error.refused) options.refused();
    return error instanceof EgressError ? error : new EgressError(502, 'the destination is not reached');
  }

  async function onConnect(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    tunnels.add(client);
    const left = new AbortController();
    const leave = (): void => left.abort();
    // The end of a stream is heard of only by who reads it; nothing is taken from it here.
    const listen = (): void => undefined;
    client.on('readable', listen).on('end', leave).on('close', leave);
    client.on('close', () => tunnels.delete(client));
    client.on('error', () => client.destroy());
    try {
      const destination = parseAuthority(request.url ?? '');
      if (!destination) throw new EgressError(403, 'the address of the tunnel cannot be read');
      const outward = await dialer.connect(destination, left.signal);
      client.off('readable', listen).off('end', leave);
      if (client.destroyed || left.signal.aborted) {
        outward.destroy();
        return;
      }
      client.on('close', () => outward.destroy());
      outward.on('close', () => client.destroy()).on('error', () => client.destroy());
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      await joinTunnel({ client, clientHead: head, outward, destination }).catch((error: unknown) => {
        onRefusal(error);
        client.destroy();
      });
    } catch (error) {
      const { status, message } = onRefusal(error);
      const page = errorPage(status, message);
      client.end(
        `HTTP/1.1 ${status} ${REASON[status]}\r\nContent-Type: text/plain; charset=utf-8\r\n` +
          `Content-Length: ${Buffer.byteLength(page)}\r\nConnection: close\r\n\r\n${page}`,
      );
    }
  }

  async function onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await forward(request, response);
    } catch (error) {
      const { status, message } = onRefusal(error);
      if (response.headersSent) {
        response.destroy();
        return;
      }
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
      response.end(errorPage(status, message));
      request.resume();
    }
  }

  const server: Server = createServer((request, response) => void onRequest(request, response));
  server.on('connect', (request, client, head) => void onConnect(request, client, head));
  server.on('clientError', (_error, socket) => socket.destroy());
  // A page may keep a request open for as long as it likes; the session bounds it.
  server.requestTimeout = 0;

  return {
    async listen({ host, port }) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      server.once('error', reject);
      server.listen(port, host, resolve);
      await promise;
      return { port: (server.address() as { port: number }).port };
    },
    close() {
      server.close();
      server.closeAllConnections();
      for (const tunnel of tunnels) tunnel.destroy();
    },
  };
}

const REASON = { 403: 'Forbidden', 502: 'Bad Gateway', 504: 'Gateway Timeout' } as const;

const errorPage = (status: 403 | 502 | 504, because: string): string =>
  status === 403 ? `This browser may not go there: ${because}.\n` : `The page could not be fetched: ${because}.\n`;

/** `host:port` or `[address]:port`; undefined when it is neither. */
export function parseAuthority(text: string): Destination | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/?#@[\]\\]+)):(\d{1,5})$/.exec(text);
  if (!match) return undefined;
  const port = Number(match[3]);
  if (port < 1 || port > 65_535) return undefined;
  if (match[1] !== undefined) return isIP(match[1]) === 6 ? { host: match[1], port } : undefined;
  return { host: match[2]!, port };
}
