import { describe, expect, test } from 'vitest';
import { createFrameParser } from './frame-parser.ts';
import { OPCODE, clientHeader, closeFrame, serverFrame } from './frames.ts';
import { createMessageBoundary } from './message-boundary.ts';

/** A masked frame as a client sends it. */
function frame(
  payload: Buffer,
  options: { opcode?: number; fin?: boolean; masked?: boolean; rsv?: number } = {},
): Buffer {
  const { opcode = OPCODE.text, fin = true, masked = true, rsv = 0 } = options;
  const header = masked
    ? clientHeader(opcode, payload.length)
    : serverFrame(opcode, payload).subarray(0, -payload.length);
  header[0] = (fin ? 0x80 : 0) | rsv | opcode;
  if (!masked) return Buffer.concat([header, payload]);
  const key = Buffer.from([0x11, 0x22, 0x33, 0x44]);
  key.copy(header, header.length - 4);
  return Buffer.concat([header, payload.map((byte, index) => byte ^ key[index & 3]!)]);
}
const text = (value: string): Buffer => Buffer.from(value);

function read(stream: Buffer, size = stream.length, maxMessageBytes = 1_000_000) {
  const messages: [number, string][] = [];
  const controls: [number, string][] = [];
  const parser = createFrameParser({
    maxMessageBytes,
    onMessage: (opcode, payload) => messages.push([opcode, payload.toString()]),
    onControl: (opcode, payload) => controls.push([opcode, payload.toString()]),
  });
  for (let at = 0; at < stream.length; at += size) {
    const error = parser.push(Buffer.from(stream.subarray(at, at + size)));
    if (error) return { messages, controls, error };
  }
  return { messages, controls, error: undefined };
}

describe('frames of a client', () => {
  const long = 'x'.repeat(70_000);
  const stream = Buffer.concat([
    frame(text('one')),
    frame(text('')),
    frame(text('tw'), { fin: false }),
    frame(text('ping'), { opcode: OPCODE.ping }),
    frame(text(''), { opcode: OPCODE.continuation, fin: false }),
    frame(text('o'), { opcode: OPCODE.continuation }),
    frame(text('m'.repeat(300))),
    frame(text(long)),
    frame(text('bye'), { opcode: OPCODE.close }),
  ]);

  test.each([1, 2, 3, 5, 7, 64, 1000, 65_536, 200_000])('are read when they come in pieces of %i bytes', (size) => {
    const { messages, controls, error } = read(stream, size);
    expect(error).toBeUndefined();
    expect(messages.map(([, message]) => message)).toEqual(['one', '', 'two', 'm'.repeat(300), long]);
    expect(messages.every(([opcode]) => opcode === OPCODE.text)).toBe(true);
    expect(controls).toEqual([
      [OPCODE.ping, 'ping'],
      [OPCODE.close, 'bye'],
    ]);
  });

  test.each([
    ['an unmasked frame', frame(text('x'), { masked: false }), 1002],
    ['reserved bits (compression)', frame(text('x'), { rsv: 0x40 }), 1002],
    ['an unknown data opcode', frame(text('x'), { opcode: 3 }), 1002],
    ['an unknown control opcode', frame(text('x'), { opcode: 11 }), 1002],
    ['a control frame in fragments', frame(text('x'), { opcode: OPCODE.ping, fin: false }), 1002],
    ['a long control frame', frame(Buffer.alloc(126), { opcode: OPCODE.ping }), 1002],
    ['a continuation of nothing', frame(text('x'), { opcode: OPCODE.continuation }), 1002],
    ['a new message inside another', Buffer.concat([frame(text('x'), { fin: false }), frame(text('y'))]), 1002],
    ['a message over the cap', frame(Buffer.alloc(1_000_001)), 1009],
    ['a length of 63 bits', Buffer.from([0x81, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255, 1, 2, 3, 4]), 1009],
    [
      'fragments over the cap together',
      Buffer.concat([
        frame(Buffer.alloc(600_000), { fin: false }),
        frame(Buffer.alloc(600_000), { opcode: OPCODE.continuation }),
      ]),
      1009,
    ],
  ])('%s breaks the protocol', (_, stream, code) => {
    expect(read(stream).error?.code).toBe(code);
    expect(read(stream, 1000).error?.code).toBe(code);
  });
});

describe('frames of ours', () => {
  test.each([0, 1, 125, 126, 65_535, 65_536, 100_000])('to Chromium are read back, with %i bytes', (length) => {
    const payload = Buffer.alloc(length, 65);
    const { messages, error } = read(Buffer.concat([clientHeader(OPCODE.text, length), payload]));
    expect(error).toBeUndefined();
    expect(messages[0]?.[1].length).toBe(length);
  });

  test('a close frame holds code and reason, and is cut to what a control frame may hold', () => {
    expect(closeFrame(4001, 'bye')).toEqual(Buffer.from([0x88, 5, 0x0f, 0xa1, 0x62, 0x79, 0x65]));
    expect(closeFrame(4001, 'x'.repeat(500))[1]).toBe(125);
  });
});

describe('the boundary between messages of a server', () => {
  const fragment = serverFrame(OPCODE.text, text('abc'));
  fragment[0] = OPCODE.text;
  const parts = [
    serverFrame(OPCODE.text, text('hello')),
    fragment,
    serverFrame(OPCODE.ping, text('p')),
    serverFrame(OPCODE.continuation, Buffer.alloc(300)),
    serverFrame(OPCODE.text, text('')),
    serverFrame(OPCODE.binary, Buffer.alloc(70_000)),
  ];
  const stream = Buffer.concat(parts);

  test.each([1, 2, 3, 7, 100, 65_536, 200_000])('is found when they come in pieces of %i bytes', (size) => {
    const boundary = createMessageBoundary();
    const found = new Set<number>();
    for (let at = 0; at < stream.length; at += size) {
      const offset = boundary.follow(stream.subarray(at, at + size));
      if (offset !== -1) found.add(at + offset);
    }
    expect(boundary.between).toBe(true);
    if (size === 1) {
      // Neither behind the first fragment nor behind the ping inside the message.
      const ends = parts.map((_, index) => Buffer.concat(parts.slice(0, index + 1)).length);
      expect([...found]).toEqual([ends[0], ends[3], ends[4], ends[5]]);
    }
    expect(Math.max(...found)).toBe(stream.length);
  });

  test('is not inside a header, a payload or between fragments', () => {
    const boundary = createMessageBoundary();
    expect(boundary.follow(fragment.subarray(0, 1))).toBe(-1);
    expect(boundary.between).toBe(false);
    boundary.follow(fragment.subarray(1, 3));
    expect(boundary.between).toBe(false);
    boundary.follow(fragment.subarray(3));
    expect(boundary.between).toBe(false);
  });
});
