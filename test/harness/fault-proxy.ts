import { type Socket, connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A TCP proxy in front of a server, whose connections can be made to fail in the ways networks do. */
export interface FaultProxy {
  port: number;
  /** Resets every connection; new ones work. */
  reset(): void;
  /** Every connection stands and carries nothing more; new ones work. */
  stall(): void;
  /** New connections are refused until `accept`. */
  refuse(): void;
  accept(): void;
  /** Connections accepted so far. */
  readonly accepted: number;
  /** Connections refused so far. */
  readonly refused: number;
  close(): Promise<void>;
}

export async function startFaultProxy(target: { host: string; port: number }): Promise<FaultProxy> {
  const pairs = new Set<{ client: Socket; server: Socket }>();
  let refusing = false;
  let accepted = 0;
  let refused = 0;
  const listener = createServer((client) => {
    if (refusing) {
      refused += 1;
      client.resetAndDestroy();
      return;
    }
    accepted += 1;
    const server = connect(target);
    const pair = { client, server };
    pairs.add(pair);
    client.pipe(server);
    server.pipe(client);
    for (const socket of [client, server]) {
      socket.on('error', () => {});
      socket.on('close', () => {
        pairs.delete(pair);
        client.destroy();
        server.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => {
    listener.listen(0, '127.0.0.1', resolve);
  });
  const each = (act: (pair: { client: Socket; server: Socket }) => void): void => {
    for (const pair of Array.from(pairs)) act(pair);
  };
  return {
    port: (listener.address() as AddressInfo).port,
    reset: () => each(({ client, server }) => [client, server].forEach((socket) => socket.resetAndDestroy())),
    stall: () =>
      each(({ client, server }) => {
        client.unpipe(server);
        server.unpipe(client);
        client.resume();
        server.resume();
      }),
    refuse() {
      refusing = true;
    },
    accept() {
      refusing = false;
    },
    get accepted() {
      return accepted;
    },
    get refused() {
      return refused;
    },
    async close() {
      each(({ client, server }) => [client, server].forEach((socket) => socket.destroy()));
      await new Promise<void>((resolve) => {
        listener.close(() => resolve());
      });
    },
  };
}
