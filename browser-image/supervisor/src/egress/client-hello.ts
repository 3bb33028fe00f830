/** What the first bytes of a tunnel are. `more`: not enough bytes yet to tell. */
export type FirstFlight =
  | { kind: 'more' }
  | { kind: 'tls'; serverName: string | undefined }
  | { kind: 'http'; host: string | undefined; upgrade: boolean }
  | { kind: 'other' };

const HANDSHAKE_RECORD = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME_EXTENSION = 0;
const HOST_NAME = 0;

/** Reads a TLS ClientHello, over as many records as it takes, or the head of a plain HTTP request (WebSockets without TLS). Pure. */
export function readFirstFlight(bytes: Buffer): FirstFlight {
  if (bytes.length === 0) return { kind: 'more' };
  if (bytes[0] !== HANDSHAKE_RECORD) return readHttp(bytes);
  const hello = collectHandshake(bytes);
  if (hello === 'other') return { kind: 'other' };
  if (hello === undefined) return { kind: 'more' };
  try {
    return { kind: 'tls', serverName: readServerName(hello) };
  } catch {
    // A length that points outside the message.
    return { kind: 'other' };
  }
}

/** The handshake message without record headers; undefined while it is not whole. */
function collectHandshake(bytes: Buffer): Buffer | 'other' | undefined {
  const parts: Buffer[] = [];
  let at = 0;
  let collected = 0;
  while (bytes.length >= at + 5) {
    if (bytes[at] !== HANDSHAKE_RECORD) return 'other';
    const length = bytes.readUInt16BE(at + 3);
    const part = bytes.subarray(at + 5, at + 5 + length);
    parts.push(part);
    collected += part.length;
    at += 5 + length;
    if (collected < 4) continue;
    const message = Buffer.concat(parts);
    if (message[0] !== CLIENT_HELLO) return 'other';
    const wanted = message.readUIntBE(1, 3);
    if (message.length >= 4 + wanted) return message.subarray(4, 4 + wanted);
  }
  return undefined;
}

/** Body of a ClientHello (RFC 8446, 4.1.2) to the name in its server_name extension (RFC 6066, 3). */
function readServerName(hello: Buffer): string | undefined {
  let at = 2 + 32;
  at += 1 + hello.readUInt8(at);
  at += 2 + hello.readUInt16BE(at);
  at += 1 + hello.readUInt8(at);
  if (at === hello.length) return undefined;
  const end = at + 2 + hello.readUInt16BE(at);
  at += 2;
  while (at + 4 <= end) {
    const type = hello.readUInt16BE(at);
    const length = hello.readUInt16BE(at + 2);
    at += 4;
    if (type === SERVER_NAME_EXTENSION) {
      const nameType = hello.readUInt8(at + 2);
      const nameLength = hello.readUInt16BE(at + 3);
      if (nameType !== HOST_NAME || at + 5 + nameLength > hello.length) throw new RangeError('server_name');
      return hello.toString('latin1', at + 5, at + 5 + nameLength);
    }
    at += length;
  }
  return undefined;
}

function readHttp(bytes: Buffer): FirstFlight {
  const end = bytes.indexOf('\r\n\r\n');
  const text = bytes.toString('latin1', 0, end === -1 ? bytes.length : end);
  if (!'GET '.startsWith(text.slice(0, 4))) return { kind: 'other' };
  if (end === -1) return { kind: 'more' };
  const lines = text.split('\r\n').slice(1);
  const values = (name: string): string[] =>
    lines.filter((line) => line.toLowerCase().startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trim());
  const hosts = values('host');
  return {
    kind: 'http',
    host: hosts.length === 1 ? hosts[0] : undefined,
    upgrade: values('upgrade').some((value) => value.toLowerCase() === 'websocket'),
  };
}
