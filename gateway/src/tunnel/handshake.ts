import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { STATUS_CODES } from 'node:http';
import type { ErrorReply } from '../http/error-reply.ts';

/** Completes the client's handshake with what the pod answered. `protocol` is chosen by us, never by the pod. */
export function acceptUpgrade(client: Duplex, answer: IncomingHttpHeaders, protocol?: string): void {
  const headers: [string, string][] = [
    ['Upgrade', 'websocket'],
    ['Connection', 'Upgrade'],
    ['Sec-WebSocket-Accept', answer['sec-websocket-accept'] ?? ''],
  ];
  const extensions = answer['sec-websocket-extensions'];
  if (extensions !== undefined) headers.push(['Sec-WebSocket-Extensions', extensions]);
  if (protocol !== undefined) headers.push(['Sec-WebSocket-Protocol', protocol]);
  client.write(`HTTP/1.1 101 Switching Protocols\r\n${linesOf(headers)}\r\n\r\n`);
}

/** Refuses an upgrade the way a request is refused: with a status and a JSON body. */
export function refuseUpgrade(client: Duplex, reply: ErrorReply): void {
  if (client.destroyed || !client.writable) return;
  const body = JSON.stringify(reply.body);
  const headers: [string, string][] = [
    ...Object.entries(reply.headers),
    ['content-type', 'application/json'],
    ['content-length', String(Buffer.byteLength(body))],
    ['connection', 'close'],
  ];
  client.end(`HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status] ?? 'Error'}\r\n${linesOf(headers)}\r\n\r\n${body}`);
}

const linesOf = (headers: [string, string][]): string =>
  headers.map(([name, value]) => `${name}: ${value}`).join('\r\n');
