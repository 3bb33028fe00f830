import { type AddressInfo, createServer } from 'node:net';

/** Ports of loopback that nobody listens on now; all are held until the last is found. */
export async function freePorts(count: number): Promise<number[]> {
  const listeners = Array.from({ length: count }, () => createServer());
  await Promise.all(
    listeners.map(
      (listener) =>
        new Promise<void>((resolve, reject) => {
          listener.once('error', reject);
          listener.listen(0, '127.0.0.1', resolve);
        }),
    ),
  );
  const ports = listeners.map((listener) => (listener.address() as AddressInfo).port);
  await Promise.all(listeners.map((listener) => new Promise((resolve) => listener.close(resolve))));
  return ports;
}
