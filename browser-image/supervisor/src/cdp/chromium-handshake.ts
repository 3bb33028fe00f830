import { type Socket, connect } from 'node:net';

/** What Chromium answers to a handshake, at most. */
const MAX_ANSWER_BYTES = 8192;

export interface ChromiumWebSocket {
  socket: Socket;
  /** Bytes that came behind the answer. */
  head: Buffer;
  /** Chromium's `Sec-WebSocket-Accept` for the client's key. */
  accept: string;
}

/**
 * Opens a WebSocket at Chromium's debugging port with the key of the client, so that the accept value is Chromium's own.
 * Host is the loopback address that Chromium insists on; Origin, cookies, credentials and extensions of the client stay out.
 * Throws an Error when Chromium refuses, is silent until `signal` aborts, or is gone.
 */
export async function openChromiumWebSocket(options: {
  port: number;
  path: string;
  key: string;
  signal: AbortSignal;
}): Promise<ChromiumWebSocket> {
  const { port, path, key, signal } = options;
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  const abort = (): void => {
    socket.destroy(new Error('Chromium did not answer the handshake in time'));
  };
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    socket.write(
      [
        `GET ${path} HTTP/1.1`,
        `Host: 127.0.0.1:${port}`,
        'Upgrade: websocket',
        'Connection: Upgrade',
        `Sec-WebSocket-Key: ${key}`,
        'Sec-WebSocket-Version: 13',
        '',
        '',
      ].join('\r\n'),
    );
    const { text, head } = await readAnswer(socket);
    const accept = /^sec-websocket-accept:\s*(\S+)\s*$/im.exec(text)?.[1];
    if (!text.startsWith('HTTP/1.1 101 ') || accept === undefined) {
      throw new Error(`Chromium refused the handshake: ${text.split('\r\n', 1)[0]}`);
    }
    return { socket, head, accept };
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Reads up to the empty line; leaves the socket paused and without listeners of its own. */
async function readAnswer(socket: Socket): Promise<{ text: string; head: Buffer }> {
  let bytes: Buffer = Buffer.alloc(0);
  const answer = Promise.withResolvers<{ text: string; head: Buffer }>();
  const onData = (chunk: Buffer): void => {
    bytes = Buffer.concat([bytes, chunk]);
    const end = bytes.indexOf('\r\n\r\n');
    if (end !== -1) answer.resolve({ text: bytes.toString('latin1', 0, end), head: bytes.subarray(end + 4) });
    else if (bytes.length > MAX_ANSWER_BYTES) answer.reject(new Error('Chromium answered the handshake with too much'));
    else return;
    // Paused at once: a byte that comes before the tunnel listens must not be lost.
    socket.pause();
    socket.off('data', onData);
  };
  const onError = (error: Error): void => answer.reject(error);
  const onClose = (): void => answer.reject(new Error('Chromium closed the connection'));
  socket.on('data', onData).on('error', onError).on('close', onClose);
  try {
    return await answer.promise;
  } finally {
    socket.off('error', onError).off('close', onClose);
    socket.on('error', () => socket.destroy());
  }
}
