import { isUtf8 } from 'node:buffer';
import type { Socket } from 'node:net';
import { createFrameParser } from './frame-parser.ts';
import { OPCODE, clientHeader, closeFrame, serverFrame } from './frames.ts';
import { type Verdict, judge, refusalOf } from './judge.ts';
import { createMessageBoundary } from './message-boundary.ts';

/** Chromium itself reads no message above 100 MiB; scripts and uploads of clients stay far below. */
const MAX_CLIENT_MESSAGE_BYTES = 64 * 1024 * 1024;
/** How long a peer may take to read its close frame. */
const CLOSE_GRACE_MS = 1000;

export interface CloseReason {
  code: number;
  reason: string;
}

export interface CdpTunnel {
  /** Sends a close frame between two messages and ends both sides. Repeated calls do nothing. */
  close(reason: CloseReason): void;
  /** Settles when both sides are gone. */
  readonly ended: Promise<void>;
}

export interface TunnelEvents {
  /** Words that refuse every message for now, or undefined. Asked before each message. */
  refusal: () => string | undefined;
  /** One message of the client was judged. */
  judged: (verdict: Verdict) => void;
  /** Chromium is gone; what the client is told. */
  lost: CloseReason;
  /** The client broke a rule that ends its connection. */
  broken: CloseReason;
}

/**
 * Joins one client and Chromium after the handshake.
 * Browser to client is a splice: chunks go out as they came in, only frame boundaries are followed.
 * Client to browser is parsed and judged, message by message, in order.
 */
export function createCdpTunnel(options: {
  client: Socket;
  clientHead: Buffer;
  chromium: Socket;
  chromiumHead: Buffer;
  endpoint: 'browser' | 'page';
  events: TunnelEvents;
}): CdpTunnel {
  const { client, chromium, events } = options;
  const boundary = createMessageBoundary();
  const ended = Promise.withResolvers<void>();
  let pending: Buffer[] = [];
  let closing = false;

  /** Gives the client a frame of ours as soon as Chromium is between two messages. */
  function inject(frame: Buffer): void {
    if (boundary.between && pending.length === 0) client.write(frame);
    else pending.push(frame);
    // A client that does not read its answers is not read either.
    if (pending.length > 0 || client.writableNeedDrain) client.pause();
  }

  function resumeClient(): void {
    if (!closing && pending.length === 0 && !client.writableNeedDrain && !chromium.writableNeedDrain) client.resume();
  }

  function flushPending(): void {
    for (const frame of pending) client.write(frame);
    pending = [];
    if (closing) endClient();
    else resumeClient();
  }

  function fromChromium(chunk: Buffer): void {
    const at = boundary.follow(chunk);
    if (pending.length > 0 && at !== -1) {
      if (at > 0) client.write(chunk.subarray(0, at));
      flushPending();
      if (!closing && at < chunk.length) client.write(chunk.subarray(at));
    } else {
      client.write(chunk);
    }
    if (client.writableNeedDrain) chromium.pause();
  }

  function toChromium(opcode: number, payload: Buffer): void {
    chromium.cork();
    chromium.write(clientHeader(opcode, payload.length));
    chromium.write(payload);
    chromium.uncork();
    if (chromium.writableNeedDrain) client.pause();
  }

  function onMessage(opcode: number, payload: Buffer): void {
    if (closing) return;
    if (opcode !== OPCODE.text || !isUtf8(payload)) {
      close(events.broken);
      return;
    }
    const text = payload.toString();
    const verdict = judge(text, options.endpoint);
    events.judged(verdict);
    const refusal = verdict.kind === 'forward' || verdict.kind === 'replace' ? events.refusal() : undefined;
    if (refusal !== undefined) {
      inject(serverFrame(OPCODE.text, Buffer.from(refusalOf(text, refusal))));
      return;
    }
    switch (verdict.kind) {
      case 'forward':
        toChromium(opcode, payload);
        break;
      case 'replace':
        toChromium(opcode, Buffer.from(verdict.text));
        break;
      case 'answer':
        inject(serverFrame(OPCODE.text, Buffer.from(verdict.text)));
        break;
      case 'detach':
        inject(serverFrame(OPCODE.text, Buffer.from(verdict.text)));
        close({ code: 1000, reason: 'detached' });
        break;
      case 'close':
        close(events.broken);
        break;
    }
  }

  function onControl(opcode: number, payload: Buffer): void {
    if (closing) return;
    if (opcode === OPCODE.ping) inject(serverFrame(OPCODE.pong, payload));
    // The close frame is answered with the client's own code.
    if (opcode === OPCODE.close) close({ code: payload.length >= 2 ? payload.readUInt16BE(0) : 1000, reason: '' });
  }

  const parser = createFrameParser({ maxMessageBytes: MAX_CLIENT_MESSAGE_BYTES, onMessage, onControl });

  function fromClient(chunk: Buffer): void {
    if (closing) return;
    const error = parser.push(chunk);
    if (error) close({ code: error.code, reason: error.because });
  }

  function close({ code, reason }: CloseReason): void {
    if (closing) return;
    inject(closeFrame(code, reason));
    closing = true;
    if (pending.length === 0) endClient();
    setTimeout(endNow, CLOSE_GRACE_MS).unref();
  }

  function endClient(): void {
    chromium.destroy();
    client.end();
    // Reading on lets the peer's own close frame arrive instead of a reset.
    client.resume();
  }

  function endNow(): void {
    chromium.destroy();
    client.destroy();
  }

  client.setNoDelay(true);
  chromium.setNoDelay(true);
  client.setKeepAlive(true, 30_000);
  client.on('data', fromClient);
  chromium.on('data', fromChromium);
  client.on('drain', () => {
    chromium.resume();
    resumeClient();
  });
  chromium.on('drain', resumeClient);
  client.on('end', endNow);
  client.on('error', endNow);
  client.on('close', () => {
    endNow();
    ended.resolve();
  });
  chromium.on('error', () => chromium.destroy());
  chromium.on('close', () => {
    // Inside a message nothing more can be said to the client.
    if (boundary.between) close(events.lost);
    else if (!closing) endNow();
  });
  if (options.chromiumHead.length > 0) fromChromium(options.chromiumHead);
  if (options.clientHead.length > 0) fromClient(options.clientHead);
  chromium.resume();
  resumeClient();
  // Either side may have gone during the handshake, before anyone listened.
  if (client.destroyed) {
    endNow();
    ended.resolve();
  } else if (chromium.destroyed) {
    close(events.lost);
  }
  return { close, ended: ended.promise };
}
