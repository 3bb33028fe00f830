import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { type Splice, splice } from './splice.ts';

/** A real WebSocket server behind a real HTTP server that splices, and a real client in front. */
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function setUp(onUpstream: (socket: WebSocket) => void) {
  const upstreamServer = new WebSocketServer({ port: 0, host: '127.0.0.1', maxPayload: 512 * 1024 * 1024 });
  upstreamServer.on('connection', onUpstream);
  await once(upstreamServer, 'listening');
  const upstreamPort = (upstreamServer.address() as AddressInfo).port;
  const front = createServer();
  const splices: Splice[] = [];
  const bytes = { in: 0, out: 0 };
  front.on('upgrade', (req, client: Duplex) => {
    const {
      'sec-websocket-key': key,
      'sec-websocket-version': version,
      'sec-websocket-extensions': extensions,
    } = req.headers;
    const dial = request({
      host: '127.0.0.1',
      port: upstreamPort,
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-key': key,
        'sec-websocket-version': version,
        ...(extensions === undefined ? {} : { 'sec-websocket-extensions': extensions }),
      },
    });
    dial.on('upgrade', (answer, upstream, head) => {
      const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${String(value)}`);
      client.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
      if (head.length > 0) upstream.unshift(head);
      splices.push(
        splice({
          client,
          upstream,
          whenLost: () => ({ code: 4006, reason: 'browser connection lost' }),
          onBytes: (direction, count) => (bytes[direction] += count),
        }),
      );
    });
    dial.end();
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  const client = new WebSocket(`ws://127.0.0.1:${(front.address() as AddressInfo).port}/`);
  closers.push(
    () => client.terminate(),
    () => front.close(),
    () => upstreamServer.close(),
  );
  await once(client, 'open');
  return { client, splices, bytes, upstreamServer };
}
const closed = async (client: WebSocket): Promise<{ code: number; reason: string }> => {
  const [code, reason] = (await once(client, 'close')) as [number, Buffer];
  return { code, reason: reason.toString() };
};

describe('a spliced tunnel', () => {
  test('passes messages both ways and counts their bytes', async () => {
    const { client, bytes } = await setUp((socket) => socket.on('message', (data) => socket.send(data)));
    client.send('x'.repeat(300_000));
    const [data] = (await once(client, 'message')) as [Buffer];
    expect(data.length).toBe(300_000);
    expect(bytes.in).toBeGreaterThan(300);
    expect(bytes.out).toBeGreaterThan(300);
  });

  test('passes one message of 64 MiB', async () => {
    const { client } = await setUp((socket) =>
      socket.on('message', () => socket.send(Buffer.alloc(64 * 1024 * 1024, 1))),
    );
    client.send('send it');
    const [data] = (await once(client, 'message')) as [Buffer];
    expect(data.length).toBe(64 * 1024 * 1024);
  });

  test('holds the sender back while the client does not read', async () => {
    let buffered = 0;
    const { client } = await setUp((socket) => {
      for (let n = 0; n < 64; n += 1) socket.send(randomBytes(512 * 1024));
      setTimeout(() => (buffered = socket.bufferedAmount), 300);
    });
    client.pause();
    await new Promise((done) => setTimeout(done, 500));
    expect(buffered).toBeGreaterThan(1024 * 1024);
    client.resume();
  });

  test('hands on the close of the browser side with its code', async () => {
    const { client } = await setUp((socket) => socket.close(4002, 'session evicted: idle'));
    expect(await closed(client)).toEqual({ code: 4002, reason: 'session evicted: idle' });
  });

  test('says goodbye with the reason it is given, between frames', async () => {
    const { client, splices } = await setUp((socket) => socket.on('message', () => socket.send('hello')));
    client.send('hi');
    await once(client, 'message');
    splices[0]!.close({ code: 4001, reason: 'session ended' });
    splices[0]!.close({ code: 1001, reason: 'later reasons do not count' });
    expect(await closed(client)).toEqual({ code: 4001, reason: 'session ended' });
    await splices[0]!.ended;
  });

  test('ends the frame that is on its way before it says goodbye', async () => {
    const { client, splices } = await setUp((socket) => socket.send(Buffer.alloc(8 * 1024 * 1024, 1)));
    splices[0]!.close({ code: 1001, reason: 'going away' });
    const outcome = closed(client);
    expect((await outcome).code).toBe(1001);
  });

  test('tells the client when the browser side breaks', async () => {
    const { client, upstreamServer } = await setUp((socket) => socket.on('message', () => socket.send('hello')));
    client.send('hi');
    await once(client, 'message');
    for (const socket of upstreamServer.clients) socket.terminate();
    expect(await closed(client)).toEqual({ code: 4006, reason: 'browser connection lost' });
  });

  test('ends the browser side when the client breaks', async () => {
    const gone = Promise.withResolvers<void>();
    const { client, splices } = await setUp((socket) => socket.on('close', () => gone.resolve()));
    client.terminate();
    await gone.promise;
    await splices[0]!.ended;
  });
});
