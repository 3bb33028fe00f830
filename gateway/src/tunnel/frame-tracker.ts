/**
 * Knows where WebSocket frames end in a byte stream, without decoding or copying them. A tunnel passes bytes through
 * untouched; only to say goodbye itself it must wait for the end of the frame that is on its way.
 * Wire: RFC 6455 section 5.2.
 */
export interface FrameTracker {
  /** Takes the next bytes of the stream. */
  push(chunk: Uint8Array): void;
  /** True when everything pushed so far ends exactly at the end of a frame. */
  readonly atBoundary: boolean;
  /** Offset in `chunk`, were it pushed next, of the first frame end; -1 when it holds none. */
  firstBoundary(chunk: Uint8Array): number;
  /** A close frame has begun to pass: nothing may follow it. */
  readonly closing: boolean;
}

const OPCODE_CLOSE = 0x8;

interface State {
  /** Header bytes of the present frame seen so far (14 at most). */
  header: number[];
  /** Length of the whole header, known after two bytes. */
  headerLength: number;
  /** Payload bytes still to come; only meaningful once the header is complete. */
  remaining: number;
}

export function createFrameTracker(): FrameTracker {
  const state: State = { header: [], headerLength: 2, remaining: 0 };
  let closing = false;
  return {
    push(chunk) {
      walk(state, chunk, (opcode) => {
        closing ||= opcode === OPCODE_CLOSE;
        return true;
      });
    },
    get atBoundary() {
      return state.header.length === 0;
    },
    get closing() {
      return closing;
    },
    firstBoundary(chunk) {
      if (state.header.length === 0) return 0;
      const copy = { ...state, header: [...state.header] };
      return walk(copy, chunk, () => false) ?? -1;
    },
  };
}

/** Advances over `chunk`; at each frame end asks `goOn` and returns the offset where it said no. */
function walk(state: State, chunk: Uint8Array, goOn: (opcode: number) => boolean): number | undefined {
  let at = 0;
  while (at < chunk.length) {
    if (state.header.length < state.headerLength) {
      state.header.push(chunk[at]!);
      at += 1;
      if (state.header.length === 2) state.headerLength = headerLengthOf(state.header[1]!);
      if (state.header.length === state.headerLength) state.remaining = payloadLengthOf(state.header);
      else continue;
    } else {
      const step = Math.min(state.remaining, chunk.length - at);
      state.remaining -= step;
      at += step;
    }
    if (state.remaining === 0) {
      const opcode = state.header[0]! & 0x0f;
      state.header.length = 0;
      state.headerLength = 2;
      if (!goOn(opcode)) return at;
    }
  }
  return undefined;
}

const headerLengthOf = (second: number): number => {
  const length = second & 0x7f;
  const extended = length === 126 ? 2 : length === 127 ? 8 : 0;
  return 2 + extended + ((second & 0x80) === 0 ? 0 : 4);
};

function payloadLengthOf(header: readonly number[]): number {
  const length = header[1]! & 0x7f;
  if (length < 126) return length;
  const bytes = header.slice(2, length === 126 ? 4 : 10);
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0);
}
