import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { type RequestListener, createServer } from 'node:http';
import { type AddressInfo, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { classifyAddress } from '../egress/addresses.ts';

/** A site on an address of this machine that is inside, as a service of a cluster is. */
export interface TestSite {
  /** `http://<address>:<port>`. */
  origin: string;
  address: string;
  port: number;
  close(): void;
}

/** Given to the loopback device for the test when the machine has no private address. */
const SPARE_ADDRESS = '10.203.113.1';

export async function startSite(listener: RequestListener): Promise<TestSite> {
  const found = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address }) => address)
    .find((address) => isIPv4(address) && classifyAddress(address, []).kind === 'internal');
  if (found === undefined) execFileSync('ip', ['address', 'add', `${SPARE_ADDRESS}/32`, 'dev', 'lo']);
  const address = found ?? SPARE_ADDRESS;
  const server = createServer(listener).listen(0, address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://${address}:${port}`,
    address,
    port,
    close() {
      server.close();
      server.closeAllConnections();
      if (found === undefined) execFileSync('ip', ['address', 'del', `${SPARE_ADDRESS}/32`, 'dev', 'lo']);
    },
  };
}
