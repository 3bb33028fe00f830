import { type Server, createServer } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { listen, stopListening } from './http.ts';

/**
 * The doors an agent goes through, on loopback: the gateway's for tokens, the keeper's for pictures, and a pod's for CDP,
 * which leads to a real Chromium and accepts the tokens it gave out.
 */
export interface Doors {
  /** Gateway and keeper at once. */
  url: string;
  /** Attempts that asked for a token, in order. */
  attempts: number[];
  /** Pictures by path. */
  pictures: Map<string, number>;
  /** What the gateway answers: a pass, that the session has ended, or nothing good. */
  session: { state: 'live' | 'ended' | 'failing'; uid: string; podUid: string };
  /** Breaks every CDP connection. */
  cut(): void;
  close(): Promise<void>;
}

export async function openDoors(options: { chromium: string; sessionUid: string }): Promise<Doors> {
  const attempts: number[] = [];
  const pictures = new Map<string, number>();
  const session: Doors['session'] = { state: 'live', uid: options.sessionUid, podUid: crypto.randomUUID() };
  const tokens = new Set<string>();
  const sockets = new Set<Duplex>();
  const target = new URL(options.chromium);

  const pod: Server = createServer((_, response) => response.writeHead(404).end());
  pod.on('upgrade', (request, socket) => {
    if (request.url !== '/cdp' || !tokens.has(request.headers.authorization ?? '')) {
      socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
      return;
    }
    const chromium = connect(Number(target.port), target.hostname, () => {
      const lines = [`GET ${target.pathname} HTTP/1.1`, `Host: ${target.host}`];
      for (const [name, value] of Object.entries(request.headers)) {
        if (name !== 'host' && name !== 'authorization') lines.push(`${name}: ${String(value)}`);
      }
      chromium.write(`${lines.join('\r\n')}\r\n\r\n`);
      socket.pipe(chromium).pipe(socket);
    });
    sockets.add(socket);
    socket.on('error', () => chromium.destroy());
    chromium.on('error', () => socket.destroy());
    socket.on('close', () => {
      chromium.destroy();
      sockets.delete(socket);
    });
  });
  const podUrl = await listen(pod);

  const server = createServer((request, response) => {
    const json = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      if (request.headers.authorization !== 'Bearer service-account') json(401, {});
      else if (request.url === '/internal/pod-tokens') {
        attempts.push((JSON.parse(body.toString()) as { attempt: number }).attempt);
        if (session.state === 'ended') json(409, { code: 'session_ended' });
        else if (session.state === 'failing') json(503, {});
        else {
          const token = crypto.randomUUID();
          tokens.add(`Bearer ${token}`);
          json(200, { token, doorUrl: podUrl, podUid: session.podUid, sessionUid: session.uid });
        }
      } else if (request.method === 'PUT') {
        pictures.set(request.url ?? '', body.length);
        json(200, { ref: (request.url ?? '').replace('/blobs/', ''), size: body.length });
      } else json(404, {});
    });
  });
  const url = await listen(server);

  return {
    url,
    attempts,
    pictures,
    session,
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await stopListening(pod);
      await stopListening(server);
    },
  };
}
