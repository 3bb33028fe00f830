/**
 * Follows the frames that a WebSocket server sends without looking into them,
 * so that frames of our own can be put between two messages.
 */
export interface MessageBoundary {
  /** Follows the next bytes; returns the offset just behind the last message that ends in them, or -1. */
  follow(chunk: Buffer): number;
  /** True when the bytes so far end with a whole message. */
  readonly between: boolean;
}

export function createMessageBoundary(): MessageBoundary {
  const head = Buffer.alloc(10);
  let headBytes = 0;
  let headNeeds = 2;
  /** Payload bytes of the current frame that are still to come. */
  let rest = 0;
  let insideFrame = false;
  let fragmented = false;

  /** Takes the header in `head`; false while it is not whole. */
  function readHeader(): boolean {
    const short = head[1]! & 0x7f;
    const keyBytes = (head[1]! & 0x80) === 0 ? 0 : 4;
    const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
    headNeeds = 2 + lengthBytes;
    if (headBytes < headNeeds) return false;
    rest = lengthBytes === 0 ? short : lengthBytes === 2 ? head.readUInt16BE(2) : Number(head.readBigUInt64BE(2));
    rest += keyBytes;
    const control = (head[0]! & 0x08) !== 0;
    if (!control) fragmented = (head[0]! & 0x80) === 0;
    insideFrame = true;
    return true;
  }

  return {
    follow(chunk) {
      let at = 0;
      let boundary = -1;
      while (at < chunk.length || (insideFrame && rest === 0)) {
        if (!insideFrame) {
          const taken = Math.min(headNeeds - headBytes, chunk.length - at);
          chunk.copy(head, headBytes, at, at + taken);
          headBytes += taken;
          at += taken;
          if (headBytes === headNeeds) readHeader();
          continue;
        }
        const taken = Math.min(rest, chunk.length - at);
        rest -= taken;
        at += taken;
        if (rest > 0) break;
        insideFrame = false;
        headBytes = 0;
        headNeeds = 2;
        if (!fragmented) boundary = at;
      }
      return boundary;
    },
    get between() {
      return !insideFrame && headBytes === 0 && !fragmented;
    },
  };
}
