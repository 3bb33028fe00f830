import { OPCODE } from './frames.ts';

/** A violation of the protocol, with the close code that answers it. */
export interface FrameError {
  code: 1002 | 1009;
  because: string;
}

export interface FrameParser {
  /**
   * Takes the next bytes and unmasks them in place. The handlers are called before it returns.
   * After an error the stream is lost and nothing more may be pushed.
   */
  push(chunk: Buffer): FrameError | undefined;
}

/** Parses what a WebSocket client sends: masks, fragments, control frames between them, and a cap on the size of a message. */
export function createFrameParser(options: {
  /** Bytes of one message, all fragments together. */
  maxMessageBytes: number;
  /** A whole message; `payload` may be kept. */
  onMessage: (opcode: number, payload: Buffer) => void;
  onControl: (opcode: number, payload: Buffer) => void;
}): FrameParser {
  const head = Buffer.alloc(14);
  let headBytes = 0;
  let headNeeds = 2;
  /** The frame being read, once its header is whole. */
  let frame: { opcode: number; final: boolean; length: number; read: number } | undefined;
  let parts: Buffer[] = [];
  /** The message being read, over its fragments. */
  let message: { opcode: number; bytes: number; parts: Buffer[] } | undefined;

  /** Reads the header in `head`; undefined while it is not whole. */
  function readHeader(): FrameError | undefined {
    const first = head[0]!;
    const second = head[1]!;
    if ((first & 0x70) !== 0) return { code: 1002, because: 'reserved bits are set' };
    if ((second & 0x80) === 0) return { code: 1002, because: 'the frame is not masked' };
    const short = second & 0x7f;
    headNeeds = short === 126 ? 8 : short === 127 ? 14 : 6;
    if (headBytes < headNeeds) return undefined;
    const length =
      short === 126
        ? head.readUInt16BE(2)
        : short === 127
          ? head.readUInt32BE(2) * 2 ** 32 + head.readUInt32BE(6)
          : short;
    frame = { opcode: first & 0x0f, final: (first & 0x80) !== 0, length, read: 0 };
    return checkFrame(frame.opcode, frame.final, length);
  }

  function checkFrame(opcode: number, final: boolean, length: number): FrameError | undefined {
    if (opcode >= OPCODE.close) {
      if (opcode > OPCODE.pong) return { code: 1002, because: 'unknown opcode' };
      if (!final || length > 125) return { code: 1002, because: 'a control frame is long or fragmented' };
      return undefined;
    }
    if (opcode > OPCODE.binary) return { code: 1002, because: 'unknown opcode' };
    if ((opcode === OPCODE.continuation) !== (message !== undefined)) {
      return { code: 1002, because: 'fragments are out of order' };
    }
    if ((message?.bytes ?? 0) + length > options.maxMessageBytes)
      return { code: 1009, because: 'the message is too big' };
    return undefined;
  }

  function endFrame({ opcode, final }: { opcode: number; final: boolean }): void {
    const payload = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    parts = [];
    frame = undefined;
    headBytes = 0;
    headNeeds = 2;
    if (opcode >= OPCODE.close) {
      options.onControl(opcode, payload);
      return;
    }
    if (final && message === undefined) {
      options.onMessage(opcode, payload);
      return;
    }
    message ??= { opcode, bytes: 0, parts: [] };
    message.bytes += payload.length;
    if (payload.length > 0) message.parts.push(payload);
    if (!final) return;
    const whole = message;
    message = undefined;
    options.onMessage(whole.opcode, Buffer.concat(whole.parts));
  }

  return {
    push(chunk) {
      let at = 0;
      while (at < chunk.length || (frame !== undefined && frame.read === frame.length)) {
        if (frame === undefined) {
          const taken = Math.min(headNeeds - headBytes, chunk.length - at);
          chunk.copy(head, headBytes, at, at + taken);
          headBytes += taken;
          at += taken;
          if (headBytes < headNeeds) break;
          const error = readHeader();
          if (error) return error;
          continue;
        }
        const taken = Math.min(frame.length - frame.read, chunk.length - at);
        if (taken > 0) {
          const part = chunk.subarray(at, at + taken);
          unmask(part, head, headNeeds - 4, frame.read);
          parts.push(part);
          frame.read += taken;
          at += taken;
        }
        if (frame.read < frame.length) break;
        endFrame(frame);
      }
      return undefined;
    },
  };
}

/** Unmasks in place. `from` is where `bytes` begin within their frame; the key is at `key` of `head`. */
function unmask(bytes: Buffer, head: Buffer, key: number, from: number): void {
  for (let index = 0; index < bytes.length; index += 1) {
    bytes[index]! ^= head[key + ((from + index) & 3)]!;
  }
}
