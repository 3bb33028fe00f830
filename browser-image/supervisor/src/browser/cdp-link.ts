import { WebSocket } from 'ws';

/**
 * The supervisor's own connection to Chromium's browser endpoint, with flat sessions for pages.
 * One per life of Chromium; whoever made it makes another when it is closed.
 */
export interface CdpLink {
  /** Sends a command and waits for its result. Throws when Chromium answers with an error, is silent too long, or the link closes. */
  send<Result = Record<string, unknown>>(method: string, params?: object, sessionId?: string): Promise<Result>;
  /** Returns how to take the listener away. */
  on(method: string, listener: (params: never, sessionId: string | undefined) => void): () => void;
  /** Calls `listener` once the link is closed, by whomever. */
  onClose(listener: () => void): void;
  close(): void;
}

interface Waiting {
  resolve: (result: never) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

const COMMAND_TIMEOUT_MS = 10_000;
/** Snapshots of storage come back as one message. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

interface Message {
  id?: number;
  method?: string;
  params?: never;
  result?: never;
  error?: { message: string };
  sessionId?: string;
}

/** A compromised Chromium may send anything; what is no message ends the link, not the supervisor. */
function readMessage(data: Buffer): Message | undefined {
  try {
    const value: unknown = JSON.parse(data.toString());
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

export async function openCdpLink(options: { port: number; path: string; timeoutMs: number }): Promise<CdpLink> {
  const socket = new WebSocket(`ws://127.0.0.1:${options.port}${options.path}`, {
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    handshakeTimeout: options.timeoutMs,
  });
  const opened = Promise.withResolvers<void>();
  const waiting = new Map<number, Waiting>();
  const listeners = new Map<string, ((params: never, sessionId: string | undefined) => void)[]>();
  let lastId = 0;

  socket.on('open', () => opened.resolve());
  socket.on('error', (error) => opened.reject(error));
  socket.on('close', () => {
    for (const { reject, timer } of waiting.values()) {
      clearTimeout(timer);
      reject(new Error('the connection to Chromium closed'));
    }
    waiting.clear();
    opened.reject(new Error('Chromium closed the connection'));
  });
  socket.on('message', (data) => {
    const message = readMessage(data as Buffer);
    if (message === undefined) {
      socket.terminate();
      return;
    }
    if (message.id === undefined) {
      for (const listener of listeners.get(message.method ?? '') ?? []) listener(message.params!, message.sessionId);
      return;
    }
    const call = waiting.get(message.id);
    if (!call) return;
    waiting.delete(message.id);
    clearTimeout(call.timer);
    if (message.error) call.reject(new Error(message.error.message));
    else call.resolve(message.result!);
  });
  await opened.promise;

  return {
    async send(method, params = {}, sessionId) {
      lastId += 1;
      const id = lastId;
      const { promise, resolve, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(() => {
        waiting.delete(id);
        reject(new Error(`Chromium did not answer ${method} in time`));
      }, COMMAND_TIMEOUT_MS);
      timer.unref();
      waiting.set(id, { resolve, reject, timer });
      if (socket.readyState !== WebSocket.OPEN) {
        clearTimeout(timer);
        waiting.delete(id);
        throw new Error('the connection to Chromium is closed');
      }
      socket.send(JSON.stringify(sessionId === undefined ? { id, method, params } : { id, method, params, sessionId }));
      return promise;
    },
    on(method, listener) {
      listeners.set(method, [...(listeners.get(method) ?? []), listener]);
      return () => {
        const rest = (listeners.get(method) ?? []).filter((one) => one !== listener);
        listeners.set(method, rest);
      };
    },
    onClose(listener) {
      socket.once('close', listener);
    },
    close() {
      socket.close();
    },
  };
}
