import { type Socket, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** The session's own proxy. Its credentials live in memory only. */
export interface UpstreamProxy {
  protocol: 'http' | 'https' | 'socks5';
  host: string;
  port: number;
  username: string;
  password: string;
}

const DEFAULT_PORT = { http: 80, https: 443, socks5: 1080 } as const;

/** Reads `scheme://[user:password@]host[:port]`; throws a RangeError in words that hold no credential. */
export function parseUpstreamProxy(text: string): UpstreamProxy {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const protocol = url?.protocol.replace(/:$/, '');
  if (!url || (protocol !== 'http' && protocol !== 'https' && protocol !== 'socks5') || url.hostname === '') {
    throw new RangeError('the upstream proxy must be an http, https or socks5 URL');
  }
  return {
    protocol,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? DEFAULT_PORT[protocol] : Number(url.port),
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  };
}

/** Value of `Proxy-Authorization`, when the proxy has credentials. */
export function proxyAuthorization({ username, password }: UpstreamProxy): string | undefined {
  if (username === '' && password === '') return undefined;
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** Wraps a connection to an https proxy in TLS. */
export async function secureToProxy(socket: Socket, proxy: UpstreamProxy): Promise<Socket> {
  if (proxy.protocol !== 'https') return socket;
  const secure = connectTls({ socket, ...(isIP(proxy.host) ? {} : { servername: proxy.host }) });
  const ready = Promise.withResolvers<Socket>();
  secure.once('secureConnect', () => ready.resolve(secure)).once('error', ready.reject);
  secure.once('close', () => ready.reject(new Error('the upstream proxy closed the connection')));
  return ready.promise;
}

/** Asks the proxy for a tunnel to `host:port`, by name. Throws when it refuses. The socket is paused afterwards. */
export async function openThroughProxy(
  socket: Socket,
  proxy: UpstreamProxy,
  destination: { host: string; port: number },
): Promise<void> {
  const reader = createReader(socket);
  try {
    if (proxy.protocol === 'socks5') await socksConnect(socket, reader, proxy, destination);
    else await httpConnect(socket, reader, proxy, destination);
  } finally {
    reader.release();
  }
}

async function httpConnect(
  socket: Socket,
  reader: Reader,
  proxy: UpstreamProxy,
  { host, port }: { host: string; port: number },
): Promise<void> {
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const authorization = proxyAuthorization(proxy);
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`];
  if (authorization !== undefined) lines.push(`Proxy-Authorization: ${authorization}`);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const answer = await reader.until('\r\n\r\n');
  if (!/^HTTP\/1\.[01] 2\d\d/.test(answer)) {
    throw new Error(`the upstream proxy answered ${answer.split('\r\n', 1)[0]?.slice(0, 100)}`);
  }
}

/** RFC 1928 with user name and password of RFC 1929. */
async function socksConnect(
  socket: Socket,
  reader: Reader,
  { username, password }: UpstreamProxy,
  { host, port }: { host: string; port: number },
): Promise<void> {
  const credentials = username !== '' || password !== '';
  socket.write(Buffer.from(credentials ? [5, 2, 0, 2] : [5, 1, 0]));
  const [, method] = await reader.take(2);
  if (method === 2 && credentials) {
    const [user, secret] = [Buffer.from(username), Buffer.from(password)];
    socket.write(Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([secret.length]), secret]));
    const [, status] = await reader.take(2);
    if (status !== 0) throw new Error('the upstream proxy refused the credentials');
  } else if (method !== 0) {
    throw new Error('the upstream proxy wants an authentication this one has not');
  }
  const name = Buffer.from(host);
  const portBytes = Buffer.alloc(2);
  portBytes.writeUInt16BE(port);
  socket.write(Buffer.concat([Buffer.from([5, 1, 0, 3, name.length]), name, portBytes]));
  const [, reply, , type] = await reader.take(4);
  if (reply !== 0) throw new Error(`the upstream proxy could not connect (SOCKS reply ${reply})`);
  const addressLength = type === 1 ? 4 : type === 4 ? 16 : ((await reader.take(1))[0] ?? 0);
  await reader.take(addressLength + 2);
}

interface Reader {
  take(bytes: number): Promise<Buffer>;
  /** Text up to and with `mark`. */
  until(mark: string): Promise<string>;
  /** Stops reading; what was read too much goes back. */
  release(): void;
}

const MAX_PROXY_ANSWER_BYTES = 16_384;

function createReader(socket: Socket): Reader {
  let bytes: Buffer = Buffer.alloc(0);
  let failure: Error | undefined;
  let wake: (() => void) | undefined;
  const onData = (chunk: Buffer): void => {
    bytes = Buffer.concat([bytes, chunk]);
    wake?.();
  };
  const fail = (error?: Error): void => {
    failure ??= error ?? new Error('the upstream proxy closed the connection');
    wake?.();
  };
  const onClose = (): void => fail();
  socket.on('data', onData).on('error', fail).on('close', onClose);
  async function need(enough: () => number): Promise<Buffer> {
    for (;;) {
      const length = enough();
      if (length > 0 && bytes.length >= length) {
        const taken = bytes.subarray(0, length);
        bytes = bytes.subarray(length);
        return taken;
      }
      if (failure) throw failure;
      if (bytes.length > MAX_PROXY_ANSWER_BYTES) throw new Error('the upstream proxy answered too much');
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      await promise;
    }
  }
  return {
    take: (length) => need(() => length),
    until: async (mark) =>
      (
        await need(() => {
          const at = bytes.indexOf(mark);
          return at === -1 ? 0 : at + mark.length;
        })
      ).toString('latin1'),
    release() {
      socket.pause();
      socket.off('data', onData).off('error', fail).off('close', onClose);
      if (bytes.length > 0) socket.unshift(bytes);
    },
  };
}
