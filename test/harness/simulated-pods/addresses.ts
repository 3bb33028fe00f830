import { type Socket, createServer } from 'node:net';
import { PORT } from '@podwright/api/names';

/** An address of 127.0.0.0/8 with the pod port open on it: all of the loopback network is this machine. */
export interface PodAddress {
  ip: string;
  /** Closes the port and every connection, as the end of a pod does. The address is used again later. */
  close(): void;
}

/** Undefined: somebody else listens there. */
export async function openAddress(ip: string, onConnection: (socket: Socket) => void): Promise<PodAddress | undefined> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    onConnection(socket);
  });
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  server.once('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') resolve(false);
    else reject(error);
  });
  server.listen({ host: ip, port: PORT.podDoor, backlog: 16 }, () => resolve(true));
  if (!(await promise)) return undefined;
  return {
    ip,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** After so many pods an address is used again: a late request must not reach the next pod by accident. */
const ADDRESSES = 60_000;

/**
 * Hands out addresses. It starts somewhere in the network, so that two simulators on one machine seldom ask for the same
 * one, and passes over those that are taken.
 */
export function createAddresses(options: { onConnection: (socket: Socket) => void; random?: () => number }): {
  open(): Promise<PodAddress>;
} {
  const first = 65_536 * (16 + Math.floor((options.random ?? Math.random)() * 200));
  let next = 0;
  return {
    async open() {
      for (let attempt = 0; attempt < 1_000; attempt += 1) {
        const number = first + 1 + (next++ % ADDRESSES);
        const ip = `127.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
        const opened = await openAddress(ip, options.onConnection);
        if (opened) return opened;
      }
      throw new Error(`port ${PORT.podDoor} is taken on a thousand loopback addresses`);
    },
  };
}
