import type { Duplex } from 'node:stream';
import { closeFrame } from './close-frame.ts';
import { createFrameTracker } from './frame-tracker.ts';

export interface CloseReason {
  code: number;
  reason: string;
}

/** Two sockets joined after their WebSocket handshakes. Bytes pass untouched, with back-pressure both ways. */
export interface Splice {
  /** Says goodbye to the client at the next frame boundary, then ends both sides. Only the first reason counts. */
  close(reason: CloseReason): void;
  /** Settles when both sides are gone. */
  readonly ended: Promise<void>;
}

/** How long a frame that is on its way may take to end before the goodbye is dropped. */
const BOUNDARY_WAIT_MS = 1_000;
/** How long the client may take to answer a close. */
const CLOSE_WAIT_MS = 1_000;

export function splice(options: {
  client: Duplex;
  upstream: Duplex;
  /** What is told to the client when the other side breaks without a close frame of its own. */
  whenLost: () => CloseReason;
  /** Bytes towards the client and from it, as they pass. */
  onBytes: (direction: 'out' | 'in', bytes: number) => void;
}): Splice {
  const { client, upstream, onBytes } = options;
  const tracker = createFrameTracker();
  const ended = Promise.withResolvers<void>();
  let goodbye: CloseReason | undefined;
  let said = false;
  const timers = new Set<NodeJS.Timeout>();
  const later = (act: () => void, ms: number): void => {
    timers.add(setTimeout(act, ms).unref());
  };

  const sayGoodbye = (): void => {
    if (said || !goodbye) return;
    said = true;
    upstream.destroy();
    if (tracker.closing || client.writableEnded) client.end();
    else client.end(closeFrame(goodbye.code, goodbye.reason));
    later(() => client.destroy(), CLOSE_WAIT_MS);
  };
  const close = (reason: CloseReason): void => {
    if (goodbye) return;
    goodbye = reason;
    if (tracker.atBoundary) sayGoodbye();
    else {
      // Whoever stopped reading keeps the frame from ending; then the connection is cut.
      later(() => client.destroy(), BOUNDARY_WAIT_MS);
      upstream.resume();
    }
  };

  upstream.on('data', (chunk: Buffer) => {
    if (said) return;
    const cut = goodbye ? tracker.firstBoundary(chunk) : -1;
    const bytes = cut === -1 ? chunk : chunk.subarray(0, cut);
    tracker.push(bytes);
    onBytes('out', bytes.length);
    if (!client.write(bytes) && !goodbye) upstream.pause();
    if (goodbye && tracker.atBoundary) sayGoodbye();
  });
  client.on('drain', () => upstream.resume());
  client.on('data', (chunk: Buffer) => {
    if (said) return;
    onBytes('in', chunk.length);
    if (!upstream.write(chunk)) client.pause();
  });
  upstream.on('drain', () => client.resume());

  // An orderly end passes through; a break is told to the other side in its own words.
  upstream.on('end', () => {
    if (tracker.closing) client.end();
    else close(options.whenLost());
  });
  client.on('end', () => upstream.end());
  upstream.on('error', () => close(options.whenLost()));
  client.on('error', () => upstream.destroy());
  upstream.on('close', () => {
    if (!tracker.closing) close(options.whenLost());
    else client.end();
    if (client.destroyed) settle();
    else if (!said) later(() => client.destroy(), CLOSE_WAIT_MS);
  });
  client.on('close', () => {
    upstream.destroy();
    settle();
  });
  const settle = (): void => {
    for (const timer of timers) clearTimeout(timer);
    ended.resolve();
  };
  return { close, ended: ended.promise };
}
