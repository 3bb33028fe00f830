import { once } from 'node:events';
import { Agent, createServer as createHttpServer, request } from 'node:http';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { PodEgressFloor } from '@podwright/api/pod-door';
import { type Resolve, createDialer } from './dial.ts';
import { createEgressProxy, parseAuthority } from './proxy.ts';
import type { SessionEgress } from './rules.ts';
import { type UpstreamProxy, parseUpstreamProxy } from './upstream.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function listen<S extends Server>(server: S): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

const NAMES: Record<string, string[]> = {
  'a.example': ['93.184.216.34'],
  'b.example': ['93.184.216.35'],
  'proxy.example': ['93.184.216.99'],
  'rebind.example': ['93.184.216.34', '10.0.0.5'],
  'inside.demo': ['10.97.1.1'],
};

/** A proxy on a real port. Names and addresses are of a small world: every address leads to `ports[address]` on this machine. */
async function setUp(options: {
  session?: SessionEgress;
  floor?: Partial<PodEgressFloor>;
  upstream?: string;
  ports: Record<string, number>;
  deadlines?: Parameters<typeof createDialer>[0]['deadlines'];
  resolve?: Resolve;
}) {
  const asked: string[] = [];
  const dialled: string[] = [];
  let refused = 0;
  const upstream: UpstreamProxy | undefined =
    options.upstream === undefined ? undefined : parseUpstreamProxy(options.upstream);
  const dialer = createDialer({
    rules: () => ({
      floor: { egress: 'Public', allowedHosts: [], allowInternal: [], clusterCidrs: [], ...options.floor },
      session: options.session ?? { egress: 'Public', allowedHosts: [] },
    }),
    upstream: () => upstream,
    ...(options.deadlines ? { deadlines: options.deadlines } : {}),
    async resolve(host) {
      asked.push(host);
      if (options.resolve) return options.resolve(host);
      const addresses = NAMES[host];
      if (!addresses) throw new Error('no such name');
      return addresses;
    },
    open(address) {
      dialled.push(address);
      return connect({ host: '127.0.0.1', port: options.ports[address] ?? 1 });
    },
  });
  const proxy = createEgressProxy({ dialer, upstream: () => upstream, refused: () => (refused += 1) });
  const { port } = await proxy.listen({ host: '127.0.0.1', port: 0 });
  closers.push(() => proxy.close());
  return { port, dialled, dialer, refused: () => refused, asked: () => asked };
}

async function get(port: number, url: string, agent?: Agent) {
  const call = request({
    host: '127.0.0.1',
    port,
    path: url,
    headers: { host: 'lies.example' },
    ...(agent ? { agent } : {}),
  });
  call.end();
  const [answer] = (await once(call, 'response')) as [import('node:http').IncomingMessage];
  let body = '';
  for await (const chunk of answer) body += String(chunk);
  return { status: answer.statusCode, headers: answer.headers, body };
}

/** Opens a tunnel and returns the status line and the socket. */
async function tunnel(port: number, authority: string): Promise<{ status: string; rest: string; socket: Socket }> {
  const socket = connect({ host: '127.0.0.1', port });
  closers.push(() => socket.destroy());
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  const [data] = (await once(socket, 'data')) as [Buffer];
  const [status = '', ...rest] = data.toString().split('\r\n');
  return { status, rest: rest.join('\n'), socket };
}

async function site(): Promise<number> {
  return listen(
    createHttpServer((request, response) => {
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      response.end(
        `${request.method} ${request.url} ${request.headers.host} ${request.headers['proxy-authorization'] ?? '-'}`,
      );
    }),
  );
}

describe('requests in absolute form', () => {
  test('reach the site with the host of the address, and are counted', async () => {
    const { port, dialer, dialled } = await setUp({ ports: { '93.184.216.34': await site() } });
    const { status, body, headers } = await get(port, 'http://a.example/x?y=1');
    expect({ status, body }).toEqual({ status: 200, body: 'GET /x?y=1 a.example -' });
    expect(headers['set-cookie']).toEqual(['a=1', 'b=2']);
    expect(dialled).toEqual(['93.184.216.34']);
    expect(dialer.bytes()).toBeGreaterThan(100);
  });

  test('are judged one by one on a kept connection', async () => {
    const { port, dialled } = await setUp({ ports: { '93.184.216.34': await site() } });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    closers.push(() => agent.destroy());
    expect((await get(port, 'http://a.example/', agent)).status).toBe(200);
    expect((await get(port, 'http://inside.demo/', agent)).status).toBe(502);
    expect((await get(port, 'http://127.0.0.1:9222/json', agent)).status).toBe(403);
    expect((await get(port, 'http://a.example/', agent)).status).toBe(200);
    expect(dialled).toEqual(['93.184.216.34', '93.184.216.34']);
  });

  test.each([
    ['the metadata address', 'http://169.254.169.254/latest/meta-data/', /linkLocal/],
    ['loopback in decimal', 'http://2130706433/', /loopback/],
    ['loopback in hex', 'http://0x7f.1/', /loopback/],
    ['loopback in IPv6', 'http://[::1]:9222/', /loopback/],
    ['loopback mapped', 'http://[::ffff:127.0.0.1]/', /loopback/],
    ['credentials in the address', 'http://a.example@inside.demo/', /credentials/],
    ['a path without an address', '/etc/passwd', /whole address/],
    ['another scheme', 'ftp://a.example/', /whole address/],
  ])('to %s are refused with the reason', async (_, url, words) => {
    const { port, dialled, refused } = await setUp({ ports: {} });
    const { status, body } = await get(port, url);
    expect(status).toBe(403);
    expect(body).toMatch(words);
    expect(dialled).toEqual([]);
    expect(refused()).toBe(1);
  });

  test.each([
    ['a private address behind a name', 'inside.demo', 1],
    ['a name with a private address among its own', 'rebind.example', 1],
    ['a name that does not exist', 'nowhere.example', 0],
  ])('to %s are answered in the same words', async (_, host, counted) => {
    const { port, dialled, refused } = await setUp({ ports: {} });
    const { status, body } = await get(port, `http://${host}/`);
    expect({ status, body }).toEqual({
      status: 502,
      body: `The page could not be fetched: ${host} has no address that this browser may reach.\n`,
    });
    expect(dialled).toEqual([]);
    expect(refused()).toBe(counted);
  });

  test('to a name that does not exist, or a site that is down, say so', async () => {
    const { port } = await setUp({ ports: {} });
    expect(await get(port, 'http://nowhere.example/')).toMatchObject({ status: 502 });
    expect(await get(port, 'http://a.example/')).toMatchObject({ status: 502 });
  });

  test('go through the upstream proxy whole and with its credentials', async () => {
    const { port, dialled } = await setUp({
      upstream: 'http://user:p%40ss@proxy.example:3128',
      ports: { '93.184.216.99': await site() },
    });
    const { body } = await get(port, 'http://a.example/x');
    expect(body).toBe(`GET http://a.example/x a.example Basic ${Buffer.from('user:p@ss').toString('base64')}`);
    expect(dialled).toEqual(['93.184.216.99']);
  });

  test('to what the pool opens inside do not go through the upstream proxy', async () => {
    const { port, dialled } = await setUp({
      upstream: 'http://proxy.example:3128',
      floor: { allowInternal: [{ host: 'inside.demo', ports: [80] }] },
      ports: { '10.97.1.1': await site() },
    });
    expect((await get(port, 'http://inside.demo/')).status).toBe(200);
    expect(dialled).toEqual(['10.97.1.1']);
  });
});

const WEBSOCKET = (host: string) => `GET / HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\n\r\n`;

describe('tunnels', () => {
  const echo = async (): Promise<number> => listen(createServer((socket) => socket.pipe(socket)));

  test('carry bytes both ways once the first flight names the host', async () => {
    const { port } = await setUp({ ports: { '93.184.216.34': await echo() } });
    const { status, socket } = await tunnel(port, 'a.example:80');
    expect(status).toBe('HTTP/1.1 200 Connection established');
    socket.write(WEBSOCKET('a.example'));
    const [data] = (await once(socket, 'data')) as [Buffer];
    expect(data.toString()).toBe(WEBSOCKET('a.example'));
  });

  test.each([
    ['names another host', WEBSOCKET('b.example')],
    ['is a plain request', 'GET / HTTP/1.1\r\nHost: a.example\r\n\r\n'],
    ['is another protocol', 'EHLO a.example\r\n'],
  ])('end when the first flight %s', async (_, first) => {
    const { port } = await setUp({ ports: { '93.184.216.34': await echo() } });
    const { socket } = await tunnel(port, 'a.example:443');
    socket.on('error', () => undefined);
    socket.write(first);
    await once(socket, 'close');
  });

  test.each(['inside.demo:443', 'rebind.example:443', 'nowhere.example:443'])(
    'to %s find nothing: whether the name exists is not told',
    async (authority) => {
      const { port, dialled } = await setUp({ ports: {} });
      const { status, rest } = await tunnel(port, authority);
      expect(status).toBe('HTTP/1.1 502 Bad Gateway');
      const name = authority.replace(':443', '');
      expect(rest).toContain(`The page could not be fetched: ${name} has no address that this browser may reach.`);
      expect(dialled).toEqual([]);
    },
  );

  test.each(['127.0.0.1:9222', '[::1]:9222', '10.0.0.1:443', 'nonsense', 'a.example:0'])(
    'to %s are refused',
    async (authority) => {
      const { port, dialled } = await setUp({ ports: {} });
      const { status, rest } = await tunnel(port, authority);
      expect(status).toBe('HTTP/1.1 403 Forbidden');
      expect(rest).toContain('This browser may not go there');
      expect(dialled).toEqual([]);
    },
  );

  test('are chained through an http proxy by name', async () => {
    const seen: string[] = [];
    const upstreamPort = await listen(
      createServer((socket) => {
        socket.once('data', (data: Buffer) => {
          seen.push(data.toString());
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
          socket.pipe(socket);
        });
      }),
    );
    const { port } = await setUp({
      upstream: 'http://u:p@proxy.example:8080',
      ports: { '93.184.216.99': upstreamPort },
    });
    const { socket } = await tunnel(port, 'a.example:80');
    socket.write(WEBSOCKET('a.example'));
    await once(socket, 'data');
    expect(seen[0]).toContain('CONNECT a.example:80 HTTP/1.1');
    expect(seen[0]).toContain(`Proxy-Authorization: Basic ${Buffer.from('u:p').toString('base64')}`);
  });

  test('are chained through a SOCKS proxy by name and with credentials', async () => {
    const seen: Buffer[] = [];
    const answers = [Buffer.from([5, 2]), Buffer.from([1, 0]), Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])];
    const upstreamPort = await listen(
      createServer((socket) => {
        socket.on('data', (data: Buffer) => {
          seen.push(data);
          socket.write(answers.shift() ?? data);
        });
      }),
    );
    const { port } = await setUp({ upstream: 'socks5://u:p@proxy.example', ports: { '93.184.216.99': upstreamPort } });
    const { socket } = await tunnel(port, 'a.example:80');
    socket.write(WEBSOCKET('a.example'));
    const [data] = (await once(socket, 'data')) as [Buffer];
    expect(data.toString()).toBe(WEBSOCKET('a.example'));
    expect(seen[1]).toEqual(Buffer.from([1, 1, 117, 1, 112]));
    expect(seen[2]?.subarray(0, 5)).toEqual(Buffer.from([5, 1, 0, 3, 9]));
    expect(seen[2]?.toString('latin1')).toContain('a.example');
  });

  test('say when the upstream proxy refuses', async () => {
    const upstreamPort = await listen(
      createServer((socket) =>
        socket.once('data', () => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')),
      ),
    );
    const { port } = await setUp({ upstream: 'http://proxy.example:8080', ports: { '93.184.216.99': upstreamPort } });
    const { status, rest } = await tunnel(port, 'a.example:443');
    expect(status).toBe('HTTP/1.1 502 Bad Gateway');
    expect(rest).toContain('407');
  });

  test('do not go to an upstream proxy inside', async () => {
    const { port, dialled } = await setUp({ upstream: 'http://inside.demo:8080', ports: {} });
    expect((await tunnel(port, 'a.example:443')).status).toBe('HTTP/1.1 502 Bad Gateway');
    expect(dialled).toEqual([]);
  });

  test.each(['http://proxy.example:8080', 'https://proxy.example:8080', 'socks5://proxy.example:8080'])(
    'do not wait for %s for ever when it takes the connection and says nothing',
    async (upstream) => {
      const open: Socket[] = [];
      const upstreamPort = await listen(createServer((socket) => void open.push(socket.resume())));
      const { port } = await setUp({
        upstream,
        ports: { '93.184.216.99': upstreamPort },
        deadlines: { resolveMs: 5000, connectMs: 5000, handshakeMs: 50 },
      });
      const { status, rest } = await tunnel(port, 'a.example:443');
      expect(status).toBe('HTTP/1.1 504 Gateway Timeout');
      expect(rest).toContain('the upstream proxy did not answer in time');
      await expect.poll(() => open.map((socket) => socket.readableEnded)).toEqual([true]);
    },
  );
});

describe('a client that leaves before it was connected', () => {
  /** An upstream proxy that takes connections and never answers. */
  async function silentProxy() {
    const open: Socket[] = [];
    const server = createServer({ allowHalfOpen: false }, (socket) => void open.push(socket.resume()));
    return { port: await listen(server), open };
  }

  test.each([
    ['closes its end of a tunnel', 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n', 'end'],
    ['breaks a tunnel off', 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n', 'resetAndDestroy'],
    ['gives up a request', 'GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n', 'end'],
    ['breaks a request off', 'GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n', 'resetAndDestroy'],
  ] as const)('%s: nothing stays open', async (_, words, leave) => {
    const { port: upstreamPort, open } = await silentProxy();
    const { port } = await setUp({
      upstream: 'socks5://proxy.example:8080',
      ports: { '93.184.216.99': upstreamPort },
    });
    const client = connect({ host: '127.0.0.1', port });
    client.on('error', () => undefined);
    client.write(words);
    await expect.poll(() => open.length).toBe(1);
    client[leave]();
    await expect.poll(() => open[0]?.destroyed).toBe(true);
  });

  test('opens nothing any more when it left while its name was looked up', async () => {
    const lookup = Promise.withResolvers<string[]>();
    const { port, dialled, asked } = await setUp({ ports: {}, resolve: () => lookup.promise });
    const client = connect({ host: '127.0.0.1', port });
    client.write('CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n');
    await expect.poll(asked).toEqual(['a.example']);
    client.end();
    await once(client.resume(), 'close');
    lookup.resolve(['93.184.216.34']);
    await new Promise((done) => setTimeout(done, 20));
    expect(dialled).toEqual([]);
  });
});

test.each([
  ['a.example:443', { host: 'a.example', port: 443 }],
  ['[2606:2800::1]:443', { host: '2606:2800::1', port: 443 }],
  ['a.example', undefined],
  ['a.example:70000', undefined],
  ['a:b:443', undefined],
  ['user@a.example:443', undefined],
  ['[nonsense]:443', undefined],
])('the authority %s is read', (text, expected) => {
  expect(parseAuthority(text)).toEqual(expected);
});

test.each(['ftp://a.example', 'nonsense', 'http://', 'socks4://a.example'])('%s is no upstream proxy', (text) => {
  expect(() => parseUpstreamProxy(text)).toThrow(RangeError);
});
