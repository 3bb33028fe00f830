import { describe, expect, test } from 'vitest';
import { RfbError, createRfbClientStream } from './rfb-client-stream.ts';
import { PSEUDO_ENCODING } from './rfb-messages.ts';

const HANDSHAKE = Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.from([1, 0])]);
const HANDSHAKE_SENT = Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.from([1, 1])]);
const key = Buffer.from([4, 1, 0, 0, 0, 0, 0, 0x61]);
const pointer = Buffer.from([5, 1, 0, 10, 0, 20]);
const update = Buffer.from([3, 1, 0, 0, 0, 0, 4, 0, 3, 0]);
const pixelFormat = Buffer.concat([Buffer.from([0]), Buffer.alloc(19)]);
const continuous = Buffer.concat([Buffer.from([150]), Buffer.alloc(9)]);
const fence = Buffer.from([248, 0, 0, 0, 0, 0, 0, 1, 2, 9, 9]);
const qemuKey = Buffer.concat([Buffer.from([255, 0]), Buffer.alloc(10)]);
const resize = Buffer.concat([Buffer.from([251, 0, 0, 100, 0, 100, 1, 0]), Buffer.alloc(16)]);
const shutdown = Buffer.from([250, 0, 1, 2]);
const cut = (length: number, text: string): Buffer => {
  const head = Buffer.alloc(8);
  head[0] = 6;
  head.writeInt32BE(length, 4);
  return Buffer.concat([head, Buffer.from(text)]);
};
const encodings = (...list: number[]): Buffer => {
  const bytes = Buffer.alloc(4 + list.length * 4);
  bytes[0] = 2;
  bytes.writeUInt16BE(list.length, 2);
  for (const [index, encoding] of list.entries()) bytes.writeInt32BE(encoding, 4 + index * 4);
  return bytes;
};

function pass(control: boolean, stream: Buffer, size = stream.length) {
  let inputs = 0;
  const filter = createRfbClientStream({ mayControl: () => control, input: () => (inputs += 1) });
  const whole = Buffer.concat([HANDSHAKE, stream]);
  const passed: Buffer[] = [];
  for (let at = 0; at < whole.length; at += size) passed.push(filter.push(whole.subarray(at, at + size)));
  const bytes = Buffer.concat(passed);
  expect(bytes.subarray(0, HANDSHAKE_SENT.length)).toEqual(HANDSHAKE_SENT);
  return { passed: bytes.subarray(HANDSHAKE_SENT.length), inputs };
}

describe('who only watches', () => {
  test.each([
    ['asks for the picture', update],
    ['sets the pixel format', pixelFormat],
    ['sets encodings', encodings(7, 16, -223)],
    ['asks for continuous updates', continuous],
    ['answers a fence', fence],
  ])('%s', (_, message) => {
    expect(pass(false, message)).toEqual({ passed: message, inputs: 0 });
  });

  test.each([
    ['keys', key],
    ['pointer', pointer],
    ['clipboard', cut(5, 'hello')],
    ['extended clipboard', cut(-5, 'hello')],
    ['extended keys', qemuKey],
    ['screen size', resize],
    ['shutdown', shutdown],
  ])('passes no %s', (_, message) => {
    expect(pass(false, Buffer.concat([message, update]))).toEqual({ passed: update, inputs: 0 });
  });

  test('is not told of the extended clipboard', () => {
    expect(pass(false, encodings(16, PSEUDO_ENCODING.extendedClipboard)).passed).toEqual(encodings(16));
  });
});

describe('who may act', () => {
  test.each([
    ['keys', key],
    ['pointer', pointer],
    ['clipboard', cut(5, 'hello')],
    ['extended clipboard', cut(-5, 'hello')],
    ['extended keys', qemuKey],
  ])('passes %s, which counts as activity', (_, message) => {
    expect(pass(true, message)).toEqual({ passed: message, inputs: 1 });
  });

  test.each([
    ['the screen size', resize],
    ['a shutdown', shutdown],
  ])('does not set %s', (_, message) => {
    expect(pass(true, Buffer.concat([message, key])).passed).toEqual(key);
  });

  test('keeps the pointer message as it is: longer ones are not negotiated', () => {
    expect(pass(true, encodings(16, PSEUDO_ENCODING.extendedMouseButtons, -223)).passed).toEqual(encodings(16, -223));
  });
});

test.each([1, 2, 3, 7, 11, 100])('messages are found when they come in pieces of %i bytes', (size) => {
  const stream = Buffer.concat([update, key, cut(5, 'hello'), fence, pointer, resize, encodings(1, 2), update]);
  const expected = Buffer.concat([update, fence, encodings(1, 2), update]);
  expect(pass(false, stream, size).passed).toEqual(expected);
});

test.each([
  ['another version', Buffer.from('RFB 003.003\n')],
  ['a security type that is not offered', Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.from([2])])],
  ['an unknown message', Buffer.concat([HANDSHAKE, Buffer.from([77])])],
  ['QEMU audio', Buffer.concat([HANDSHAKE, Buffer.from([255, 1, 0, 0])])],
  ['a clipboard that is too big', Buffer.concat([HANDSHAKE, cut(2_000_000, '')])],
  ['a clipboard of the least negative length', Buffer.concat([HANDSHAKE, cut(-2_147_483_648, '')])],
  ['too many encodings', Buffer.concat([HANDSHAKE, Buffer.from([2, 0, 0xff, 0xff])])],
  ['a long fence', Buffer.concat([HANDSHAKE, Buffer.from([248, 0, 0, 0, 0, 0, 0, 1, 65])])],
])('%s ends the connection', (_, stream) => {
  const filter = createRfbClientStream({ mayControl: () => true, input: () => undefined });
  expect(() => filter.push(stream)).toThrow(RfbError);
});
