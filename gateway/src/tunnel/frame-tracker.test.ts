import { describe, expect, test } from 'vitest';
import { closeFrame } from './close-frame.ts';
import { createFrameTracker } from './frame-tracker.ts';

/** An unmasked (or masked) frame with a payload of `length` bytes. */
function frame(length: number, options: { masked?: boolean; opcode?: number; fin?: boolean } = {}): Buffer {
  const first = ((options.fin ?? true) ? 0x80 : 0) | (options.opcode ?? 2);
  const mask = options.masked ? 0x80 : 0;
  const header =
    length < 126
      ? Buffer.from([first, mask | length])
      : length < 65_536
        ? Buffer.from([first, mask | 126, length >> 8, length & 255])
        : Buffer.concat([Buffer.from([first, mask | 127, 0, 0, 0, 0]), uint32(length)]);
  return Buffer.concat([header, Buffer.alloc(options.masked ? 4 : 0, 7), Buffer.alloc(length, 9)]);
}
const uint32 = (value: number): Buffer => {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
};

describe('where frames end', () => {
  const stream = Buffer.concat([
    frame(0),
    frame(5, { fin: false }),
    frame(125, { opcode: 0 }),
    frame(126),
    frame(70_000),
    frame(3, { masked: true }),
    frame(300, { masked: true }),
  ]);

  test.each([1, 2, 3, 7, 64, 1000, 65_536, 200_000])('is found when the stream comes in pieces of %i bytes', (size) => {
    const tracker = createFrameTracker();
    for (let at = 0; at < stream.length; at += size) tracker.push(stream.subarray(at, at + size));
    expect(tracker.atBoundary).toBe(true);
    tracker.push(frame(10).subarray(0, 6));
    expect(tracker.atBoundary).toBe(false);
  });

  test('the first boundary inside the next bytes is found without taking them', () => {
    const tracker = createFrameTracker();
    tracker.push(frame(100).subarray(0, 40));
    const next = Buffer.concat([frame(100).subarray(40), frame(5)]);
    expect(tracker.firstBoundary(next)).toBe(62);
    expect(tracker.firstBoundary(next.subarray(0, 10))).toBe(-1);
    tracker.push(next.subarray(0, 62));
    expect(tracker.atBoundary).toBe(true);
    expect(tracker.firstBoundary(next.subarray(62))).toBe(0);
  });

  test('a close frame is noticed', () => {
    const tracker = createFrameTracker();
    tracker.push(frame(4));
    expect(tracker.closing).toBe(false);
    tracker.push(closeFrame(4001, 'session ended'));
    expect(tracker.closing).toBe(true);
    expect(tracker.atBoundary).toBe(true);
  });

  test('a close frame has code and reason, and never more than a control frame may carry', () => {
    expect(closeFrame(4001, 'bye')).toEqual(Buffer.from([0x88, 5, 0x0f, 0xa1, 0x62, 0x79, 0x65]));
    expect(closeFrame(4001, 'x'.repeat(500))[1]).toBe(125);
  });
});
