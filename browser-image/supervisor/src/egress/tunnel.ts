import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type FirstFlight, readFirstFlight } from './client-hello.ts';
import { type Destination, EgressError } from './dial.ts';
import { normalHost } from './host-pattern.ts';
import { isAddress } from './rules.ts';

const FIRST_FLIGHT_TIMEOUT_MS = 15_000;
const MAX_FIRST_FLIGHT_BYTES = 65_536;

/**
 * Why what a client says first in its tunnel contradicts the name it asked for; undefined when it agrees.
 * Otherwise an allowed name would open the way to every other host behind the same address. Pure.
 */
export function judgeFirstFlight(flight: FirstFlight, { host }: Destination): string | undefined {
  const name = normalHost(host);
  switch (flight.kind) {
    case 'more':
      return 'the tunnel ended before it said whom it is for';
    case 'other':
      return 'tunnels carry TLS or a WebSocket only';
    case 'tls':
      if (flight.serverName === undefined) return isAddress(name) ? undefined : 'the TLS handshake names no server';
      return normalHost(flight.serverName) === name ? undefined : 'the TLS handshake names another server';
    case 'http': {
      if (!flight.upgrade) return 'plain requests do not go through tunnels';
      const asked = normalHost((flight.host ?? '').replace(/:\d+$/, ''));
      return asked === name ? undefined : 'the request names another host';
    }
  }
}

/** Reads the client's first flight, judges it, and joins both sides. Throws EgressError; destroys nothing itself. */
export async function joinTunnel(options: {
  client: Duplex;
  clientHead: Buffer;
  outward: Socket;
  destination: Destination;
}): Promise<void> {
  const { client, outward, destination } = options;
  const first = await takeFirstFlight(client, options.clientHead);
  const because = judgeFirstFlight(readFirstFlight(first), destination);
  if (because !== undefined) throw new EgressError(403, because);
  outward.write(first);
  client.pipe(outward);
  outward.pipe(client);
  const end = (): void => {
    client.destroy();
    outward.destroy();
  };
  client.on('error', end).on('close', end);
  outward.on('error', end).on('close', end);
}

async function takeFirstFlight(client: Duplex, head: Buffer): Promise<Buffer> {
  let bytes = head;
  const whole = Promise.withResolvers<Buffer>();
  const timer = setTimeout(() => whole.resolve(bytes), FIRST_FLIGHT_TIMEOUT_MS);
  const tell = (): void => {
    if (readFirstFlight(bytes).kind !== 'more' || bytes.length > MAX_FIRST_FLIGHT_BYTES) {
      client.pause();
      whole.resolve(bytes);
    }
  };
  const onData = (chunk: Buffer): void => {
    bytes = Buffer.concat([bytes, chunk]);
    tell();
  };
  const onEnd = (): void => whole.resolve(bytes);
  client.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onEnd);
  tell();
  try {
    return await whole.promise;
  } finally {
    clearTimeout(timer);
    client.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onEnd);
  }
}
