/** The parts of RFC 6455 that a relay needs: opcodes, and frames of its own in both directions. */

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** Header of one whole message from server to client (never masked). */
function header(opcode: number, length: number, masked: boolean): Buffer {
  const mask = masked ? 0x80 : 0;
  const keyLength = masked ? 4 : 0;
  const first = 0x80 | opcode;
  if (length < 126) {
    const bytes = Buffer.alloc(2 + keyLength);
    bytes[0] = first;
    bytes[1] = mask | length;
    return bytes;
  }
  if (length < 65_536) {
    const bytes = Buffer.alloc(4 + keyLength);
    bytes[0] = first;
    bytes[1] = mask | 126;
    bytes.writeUInt16BE(length, 2);
    return bytes;
  }
  const bytes = Buffer.alloc(10 + keyLength);
  bytes[0] = first;
  bytes[1] = mask | 127;
  bytes.writeBigUInt64BE(BigInt(length), 2);
  return bytes;
}

/** A frame to a client. */
export function serverFrame(opcode: number, payload: Buffer): Buffer {
  return Buffer.concat([header(opcode, payload.length, false), payload]);
}

/**
 * Header of a frame to Chromium. Its masking key is zero: the payload goes out as it was judged, uncopied.
 * Masking protects intermediaries on the way, and there is none between two processes of one pod.
 */
export const clientHeader = (opcode: number, length: number): Buffer => header(opcode, length, true);

export function closeFrame(code: number, reason: string): Buffer {
  const text = Buffer.from(reason).subarray(0, 123);
  const payload = Buffer.alloc(2 + text.length);
  payload.writeUInt16BE(code, 0);
  text.copy(payload, 2);
  return serverFrame(OPCODE.close, payload);
}
