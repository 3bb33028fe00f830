import { connect } from 'node:tls';
import { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { type FirstFlight, readFirstFlight } from './client-hello.ts';
import { judgeFirstFlight } from './tunnel.ts';

/** The first flight that the TLS client of this platform sends. */
async function clientHello(servername?: string): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const socket = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, done) {
      resolve(chunk);
      done();
    },
  });
  const client = connect({ socket, ...(servername === undefined ? {} : { servername }) });
  client.on('error', () => undefined);
  const bytes = await promise;
  client.destroy();
  return bytes;
}

describe('the first flight of a tunnel', () => {
  test('of TLS names its server', async () => {
    expect(readFirstFlight(await clientHello('shop.example.com'))).toEqual({
      kind: 'tls',
      serverName: 'shop.example.com',
    });
  });

  test('of TLS to an address names none', async () => {
    expect(readFirstFlight(await clientHello())).toEqual({ kind: 'tls', serverName: undefined });
  });

  test('is awaited until it is whole, wherever it is cut', async () => {
    const hello = await clientHello('shop.example.com');
    for (let length = 1; length < hello.length; length += 1) {
      expect(readFirstFlight(hello.subarray(0, length)).kind).toBe('more');
    }
  });

  test('may come in several records', async () => {
    const hello = await clientHello('shop.example.com');
    const body = hello.subarray(5);
    const records: Buffer[] = [];
    for (let at = 0; at < body.length; at += 50) {
      const part = body.subarray(at, at + 50);
      records.push(Buffer.from([22, 3, 1, 0, part.length]), part);
    }
    expect(readFirstFlight(Buffer.concat(records))).toMatchObject({ serverName: 'shop.example.com' });
  });

  test.each<[string, string, FirstFlight]>([
    [
      'a WebSocket',
      'GET /live HTTP/1.1\r\nHost: a.example:80\r\nUpgrade: websocket\r\n\r\n',
      { kind: 'http', host: 'a.example:80', upgrade: true },
    ],
    [
      'a plain request',
      'GET / HTTP/1.1\r\nhost: a.example\r\n\r\n',
      { kind: 'http', host: 'a.example', upgrade: false },
    ],
    [
      'two hosts',
      'GET / HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\nUpgrade: websocket\r\n\r\n',
      { kind: 'http', host: undefined, upgrade: true },
    ],
    ['half a request', 'GET / HTTP/1.1\r\nHost: a.e', { kind: 'more' }],
    ['the beginning of one', 'GE', { kind: 'more' }],
    ['another method', 'POST / HTTP/1.1\r\n\r\n', { kind: 'other' }],
    ['SSH', 'SSH-2.0-OpenSSH_9\r\n', { kind: 'other' }],
    ['Redis', '*1\r\n$4\r\nPING\r\n', { kind: 'other' }],
  ])('%s is told from the rest', (_, text, expected) => {
    expect(readFirstFlight(Buffer.from(text))).toEqual(expected);
  });

  test.each([
    ['an alert record', Buffer.from([21, 3, 1, 0, 2, 1, 0])],
    ['a handshake that is no ClientHello', Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0])],
    ['lengths that point outside', Buffer.from([22, 3, 1, 0, 8, 1, 0, 0, 4, 3, 3, 0, 0])],
  ])('%s is refused', (_, bytes) => {
    expect(readFirstFlight(bytes).kind).toBe('other');
  });
});

describe('a first flight against the name that was asked for', () => {
  const to = (host: string) => ({ host, port: 443 });
  test.each<[string, FirstFlight, string, boolean]>([
    ['the same server', { kind: 'tls', serverName: 'A.example' }, 'a.example', true],
    ['another server', { kind: 'tls', serverName: 'b.example' }, 'a.example', false],
    ['no server for a name', { kind: 'tls', serverName: undefined }, 'a.example', false],
    ['no server for an address', { kind: 'tls', serverName: undefined }, '93.184.216.34', true],
    ['a WebSocket to the host', { kind: 'http', host: 'a.example:80', upgrade: true }, 'a.example', true],
    ['a WebSocket to another', { kind: 'http', host: 'b.example', upgrade: true }, 'a.example', false],
    ['a plain request', { kind: 'http', host: 'a.example', upgrade: false }, 'a.example', false],
    ['something else', { kind: 'other' }, 'a.example', false],
    ['nothing', { kind: 'more' }, 'a.example', false],
  ])('%s', (_, flight, host, agrees) => {
    expect(judgeFirstFlight(flight, to(host)) === undefined).toBe(agrees);
  });
});
