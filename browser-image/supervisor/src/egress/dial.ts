import { lookup } from 'node:dns/promises';
import { type Socket, connect } from 'node:net';
import { classifyAddress } from './addresses.ts';
import { normalHost } from './host-pattern.ts';
import { type EgressRules, isAddress, judgeAddresses, judgeName } from './rules.ts';
import { type UpstreamProxy, openThroughProxy, secureToProxy } from './upstream.ts';

/** A destination that was refused or not reached; `status` is what the browser is told. */
export class EgressError extends Error {
  override readonly name = 'EgressError';
  readonly status: 403 | 502 | 504;
  constructor(status: 403 | 502 | 504, message: string) {
    super(message);
    this.status = status;
  }
}

export interface Destination {
  host: string;
  port: number;
}

/** What a destination resolved to, all of it checked; connections are pinned to these. */
export interface Checked {
  addresses: string[];
  /** Opened inside by the pool: the session's own proxy is not asked. */
  inside: boolean;
}

export interface Dialer {
  /** Resolves once and checks. Throws EgressError. */
  check(destination: Destination): Promise<Checked>;
  /** A connection to the destination, through the upstream proxy when the session has one. Throws EgressError. */
  connect(destination: Destination): Promise<Socket>;
  /** A connection to the session's http or https proxy itself, for requests that it forwards. Throws EgressError. */
  connectToProxy(proxy: UpstreamProxy): Promise<Socket>;
  /** Bytes in both directions over all connections, ended ones included. */
  readonly bytes: () => number;
}

const CONNECT_TIMEOUT_MS = 10_000;
const MAX_ADDRESSES = 3;
const RESOLVE_TIMEOUT_MS = 5000;

export type Resolve = (host: string) => Promise<string[]>;
export type Open = (address: string, port: number) => Socket;

const resolveByTheNode: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

/** `rules` and `upstream` are asked for each connection: they change when the pod is bound. */
export function createDialer(options: {
  rules: () => EgressRules;
  upstream: () => UpstreamProxy | undefined;
  resolve?: Resolve;
  open?: Open;
}): Dialer {
  const resolve = options.resolve ?? resolveByTheNode;
  const open = options.open ?? ((address, port) => connect({ host: address, port, noDelay: true }));
  const live = new Set<Socket>();
  let endedBytes = 0;

  function count(socket: Socket): Socket {
    live.add(socket);
    socket.once('close', () => {
      live.delete(socket);
      endedBytes += socket.bytesRead + socket.bytesWritten;
    });
    return socket;
  }

  async function addressesOf(host: string): Promise<string[]> {
    const name = normalHost(host);
    if (isAddress(name)) return [name];
    const deadline = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => deadline.reject(new EgressError(504, `${name} was not resolved in time`)),
      RESOLVE_TIMEOUT_MS,
    );
    try {
      return await Promise.race([resolve(name), deadline.promise]);
    } catch (error) {
      throw error instanceof EgressError ? error : new EgressError(502, `${name} cannot be resolved`);
    } finally {
      clearTimeout(timer);
    }
  }

  async function check({ host, port }: Destination): Promise<Checked> {
    const rules = options.rules();
    const byName = judgeName(rules, host, port);
    if (!byName.allowed) throw new EgressError(403, byName.because);
    const addresses = await addressesOf(host);
    const byAddress = judgeAddresses(rules, { host, port, byCidr: byName.byCidr }, addresses);
    if (!byAddress.allowed) throw new EgressError(403, byAddress.because);
    const inside = addresses.every((address) => classifyAddress(address, rules.floor.clusterCidrs).kind === 'internal');
    return { addresses, inside };
  }

  /** The session's egress class says nothing about its own proxy; the address check does. */
  async function checkProxy({ host, port }: UpstreamProxy): Promise<string[]> {
    const rules = options.rules();
    const addresses = await addressesOf(host);
    const verdict = judgeAddresses(rules, { host, port, byCidr: false }, addresses);
    if (!verdict.allowed) throw new EgressError(403, `upstream proxy: ${verdict.because}`);
    return addresses;
  }

  /** Tries the checked addresses in the resolver's order: a pod may lack a route to one family. */
  async function openAny(addresses: readonly string[], port: number): Promise<Socket> {
    let failure: unknown;
    for (const address of addresses.slice(0, MAX_ADDRESSES)) {
      try {
        return await openPinned(address, port);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  async function openPinned(address: string, port: number): Promise<Socket> {
    const socket = count(open(address, port));
    const ready = Promise.withResolvers<Socket>();
    const timer = setTimeout(
      () => ready.reject(new EgressError(504, 'the destination did not answer in time')),
      CONNECT_TIMEOUT_MS,
    );
    socket.once('connect', () => ready.resolve(socket));
    socket.once('error', () => ready.reject(new EgressError(502, 'the destination refused the connection')));
    try {
      return await ready.promise;
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async function openProxy(proxy: UpstreamProxy): Promise<Socket> {
    return secureToProxy(await openAny(await checkProxy(proxy), proxy.port), proxy);
  }

  return {
    check,
    async connect(destination) {
      const { addresses, inside } = await check(destination);
      const proxy = options.upstream();
      if (!proxy || inside) return openAny(addresses, destination.port);
      const socket = await openProxy(proxy);
      try {
        // By name: the proxy resolves for itself, near the pages it fetches.
        await openThroughProxy(socket, proxy, { host: normalHost(destination.host), port: destination.port });
        return socket;
      } catch (error) {
        socket.destroy();
        throw new EgressError(502, error instanceof Error ? error.message : 'the upstream proxy failed');
      }
    },
    connectToProxy: openProxy,
    bytes() {
      let bytes = endedBytes;
      for (const socket of live) bytes += socket.bytesRead + socket.bytesWritten;
      return bytes;
    },
  };
}
