import { connect } from 'node:net';
import type { WebSocket } from 'ws';
import { createRfbClientStream } from './rfb-client-stream.ts';

/** Picture bytes that may wait for a slow viewer before the VNC server is held back. */
const MAX_WAITING_BYTES = 1024 * 1024;

export interface CloseReason {
  code: number;
  reason: string;
}

/**
 * Joins one viewer's WebSocket and the VNC server's Unix socket. Settles when both are gone.
 * The client's stream is parsed and filtered; the server's goes out as it came.
 */
export async function serveViewer(options: {
  viewer: WebSocket;
  vncSocketPath: string;
  mayControl: () => boolean;
  input: () => void;
  lost: CloseReason;
  refused: CloseReason;
}): Promise<void> {
  const { viewer } = options;
  const vnc = connect({ path: options.vncSocketPath });
  const stream = createRfbClientStream(options);
  const ended = Promise.withResolvers<void>();

  vnc.on('data', (chunk: Buffer) => {
    viewer.send(chunk, { binary: true, compress: false }, () => {
      if (vnc.isPaused() && viewer.bufferedAmount < MAX_WAITING_BYTES) vnc.resume();
    });
    if (viewer.bufferedAmount >= MAX_WAITING_BYTES) vnc.pause();
  });
  viewer.on('message', (data: Buffer) => {
    try {
      const passed = stream.push(data);
      if (passed.length > 0 && !vnc.write(passed)) viewer.pause();
    } catch {
      // What the filter cannot read it does not let through; nothing behind it can be read either.
      viewer.close(options.refused.code, options.refused.reason);
    }
  });
  vnc.on('drain', () => viewer.resume());
  vnc.on('error', () => vnc.destroy());
  vnc.on('close', () => viewer.close(options.lost.code, options.lost.reason));
  viewer.on('error', () => viewer.terminate());
  viewer.on('close', () => {
    vnc.destroy();
    ended.resolve();
  });
  await ended.promise;
}
