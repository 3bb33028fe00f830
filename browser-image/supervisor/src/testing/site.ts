import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { type RequestListener, createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { classifyAddress } from '../egress/addresses.ts';

/** A site on an address of this machine that is inside, as a service of a cluster is. */
export interface TestSite {
  /** `http://<address>:<port>`, or `https`. */
  origin: string;
  address: string;
  port: number;
  close(): void;
}

/** Given to the loopback device for the test when the machine has no private address. */
const SPARE_ADDRESS = '10.203.113.1';

export async function startSite(
  listener: RequestListener,
  options: {
    /** One that the loopback device is given for the test: for Chromium a site of its own. */
    address?: string;
    /** HTTPS, with a certificate that nobody trusts. */
    tls?: boolean;
  } = {},
): Promise<TestSite> {
  const { address: own, tls = false } = options;
  const found = own === undefined ? findAddress() : undefined;
  const address = found ?? own ?? SPARE_ADDRESS;
  if (found === undefined) lend(address, 1);
  const made = tls ? createTlsServer(makeCertificate(), listener) : createServer(listener);
  const server = made.listen(0, address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http${tls ? 's' : ''}://${address}:${port}`,
    address,
    port,
    close() {
      server.close();
      server.closeAllConnections();
      if (found === undefined) lend(address, -1);
    },
  };
}

function makeCertificate(): { key: string; cert: string } {
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  // Key and certificate come one after the other on standard output.
  const pem = execFileSync('openssl', [...args, '-subj', '/CN=test', '-keyout', '-'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return { key: pem.toString(), cert: pem.toString() };
}

/** Addresses that the loopback device has from here, by how many sites stand on them. */
const lent = new Map<string, number>();

function lend(address: string, more: 1 | -1): void {
  const sites = (lent.get(address) ?? 0) + more;
  lent.set(address, sites);
  if (more === 1) execFileSync('ip', ['address', 'replace', `${address}/32`, 'dev', 'lo']);
  else if (sites === 0) execFileSync('ip', ['address', 'del', `${address}/32`, 'dev', 'lo']);
}

function findAddress(): string | undefined {
  return Object.entries(networkInterfaces())
    .filter(([name]) => name !== 'lo')
    .flatMap(([, addresses]) => addresses ?? [])
    .map(({ address }) => address)
    .find((address) => isIPv4(address) && classifyAddress(address, []).kind === 'internal');
}
