import { MESSAGES, MessageSizeError, PSEUDO_ENCODING, messageSize } from './rfb-messages.ts';

/** Why the stream of a viewer cannot go on; its connection is closed. */
export class RfbError extends Error {
  override readonly name = 'RfbError';
}

export interface RfbClientStream {
  /** Takes bytes of the viewer and returns what goes to the VNC server. Throws RfbError. */
  push(chunk: Buffer): Buffer;
}

type Stage = 'version' | 'security' | 'init' | 'messages';

const SECURITY_NONE = 1;
/** Versions whose client says which security type it chose. */
const VERSIONS = new Set(['RFB 003.007\n', 'RFB 003.008\n']);

/**
 * Lets through what a viewer may send, message by message (RFC 6143 and the extensions that noVNC speaks).
 * Who only watches keeps what is needed to get a picture; keys, pointer and clipboard do not pass.
 * Nobody resizes the screen or shuts the server down from here, and every viewer shares the display.
 */
export function createRfbClientStream(options: {
  /** Keys, pointer and clipboard pass. Asked for each message: the right can end while a viewer is connected. */
  mayControl: () => boolean;
  /** A message of input passed. */
  input: () => void;
}): RfbClientStream {
  let stage: Stage = 'version';
  let kept: Buffer = Buffer.alloc(0);

  /** Bytes that the next message needs to be whole; judged from what is there. */
  function sizeOfNext(bytes: Buffer): number {
    if (stage === 'version') return 12;
    if (stage === 'security' || stage === 'init') return 1;
    try {
      return messageSize(bytes);
    } catch (error) {
      throw error instanceof MessageSizeError ? new RfbError(error.message) : error;
    }
  }

  function pass(message: Buffer): Buffer | undefined {
    switch (stage) {
      case 'version':
        if (!VERSIONS.has(message.toString('latin1'))) throw new RfbError('the viewer speaks another version');
        stage = 'security';
        return message;
      case 'security':
        if (message[0] !== SECURITY_NONE) throw new RfbError('the viewer chose a security type that is not offered');
        stage = 'init';
        return message;
      case 'init':
        stage = 'messages';
        // Shared, whatever was asked for: one viewer must not throw out another.
        return Buffer.from([1]);
      case 'messages':
        return passMessage(message);
    }
  }

  function passMessage(message: Buffer): Buffer | undefined {
    const rule = MESSAGES.get(message[0]!);
    switch (rule?.right) {
      case 'view':
        return rule.name === 'SetEncodings' ? withoutEncodings(message, options.mayControl()) : message;
      case 'control':
        if (!options.mayControl()) return undefined;
        options.input();
        return message;
      default:
        return undefined;
    }
  }

  return {
    push(chunk) {
      let bytes = kept.length === 0 ? chunk : Buffer.concat([kept, chunk]);
      const passed: Buffer[] = [];
      while (bytes.length > 0) {
        const size = sizeOfNext(bytes);
        if (bytes.length < size) break;
        const message = pass(bytes.subarray(0, size));
        if (message) passed.push(message);
        bytes = bytes.subarray(size);
      }
      kept = Buffer.from(bytes);
      return passed.length === 1 ? passed[0]! : Buffer.concat(passed);
    },
  };
}

/**
 * SetEncodings without what would change the grammar or the rights: extended mouse buttons lengthen PointerEvent,
 * the extended clipboard hands the clipboard to who only watches, and desktop size is not for viewers to set.
 */
function withoutEncodings(message: Buffer, mayControl: boolean): Buffer {
  const count = message.readUInt16BE(2);
  const encodings = Array.from({ length: count }, (_, index) => message.readInt32BE(4 + index * 4)).filter(
    (encoding) =>
      encoding !== PSEUDO_ENCODING.extendedMouseButtons &&
      (mayControl || encoding !== PSEUDO_ENCODING.extendedClipboard),
  );
  const bytes = Buffer.alloc(4 + encodings.length * 4);
  bytes[0] = message[0]!;
  bytes.writeUInt16BE(encodings.length, 2);
  for (const [index, encoding] of encodings.entries()) bytes.writeInt32BE(encoding, 4 + index * 4);
  return bytes;
}
