/**
 * The messages an RFB client may send: who may send them and how long they are (RFC 6143, 7.5, and the community's
 * registry of extensions). A type that is not here has no known length, so the stream behind it cannot be read.
 */
export interface ClientMessage {
  name: string;
  /** `view`: everyone. `control`: who may act. `nobody`: read over and dropped. */
  right: 'view' | 'control' | 'nobody';
  /** Bytes that must be there before `size` can be asked. */
  head: number;
  size: (bytes: Buffer) => number;
}

export const PSEUDO_ENCODING = { extendedMouseButtons: -316, extendedClipboard: -1_063_131_698 } as const;

/** A viewer pastes text, not files. */
const MAX_CLIPBOARD_BYTES = 1024 * 1024;
const MAX_ENCODINGS = 256;

export class MessageSizeError extends Error {
  override readonly name = 'MessageSizeError';
}

const fixed = (name: string, right: ClientMessage['right'], size: number): ClientMessage => ({
  name,
  right,
  head: 1,
  size: () => size,
});

export const MESSAGES: ReadonlyMap<number, ClientMessage> = new Map<number, ClientMessage>([
  [0, fixed('SetPixelFormat', 'view', 20)],
  [2, { name: 'SetEncodings', right: 'view', head: 4, size: encodingsSize }],
  [3, fixed('FramebufferUpdateRequest', 'view', 10)],
  [4, fixed('KeyEvent', 'control', 8)],
  [5, fixed('PointerEvent', 'control', 6)],
  [6, { name: 'ClientCutText', right: 'control', head: 8, size: clipboardSize }],
  [150, fixed('EnableContinuousUpdates', 'view', 10)],
  [248, { name: 'ClientFence', right: 'view', head: 9, size: fenceSize }],
  [250, fixed('xvp', 'nobody', 4)],
  [251, { name: 'SetDesktopSize', right: 'nobody', head: 7, size: (bytes) => 8 + bytes.readUInt8(6) * 16 }],
  [255, { name: 'QEMUExtendedKeyEvent', right: 'control', head: 2, size: qemuSize }],
]);

/** Bytes of the message that `bytes` begin with, or what is needed to tell. Throws MessageSizeError for what cannot be read. */
export function messageSize(bytes: Buffer): number {
  const message = MESSAGES.get(bytes[0]!);
  if (!message) throw new MessageSizeError(`message type ${bytes[0]} is not known`);
  return bytes.length < message.head ? message.head : message.size(bytes);
}

function encodingsSize(bytes: Buffer): number {
  const count = bytes.readUInt16BE(2);
  if (count > MAX_ENCODINGS) throw new MessageSizeError('too many encodings');
  return 4 + count * 4;
}

/** A negative length marks the extended clipboard; its absolute value counts. */
function clipboardSize(bytes: Buffer): number {
  const length = Math.abs(bytes.readInt32BE(4));
  if (length > MAX_CLIPBOARD_BYTES) throw new MessageSizeError('the clipboard is too big');
  return 8 + length;
}

function fenceSize(bytes: Buffer): number {
  const length = bytes.readUInt8(8);
  if (length > 64) throw new MessageSizeError('the fence is too long');
  return 9 + length;
}

function qemuSize(bytes: Buffer): number {
  if (bytes[1] !== 0) throw new MessageSizeError('only extended key events are known of QEMU');
  return 12;
}
