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
  /** By the rules, and not by the network. */
  readonly refused: boolean;
  constructor(status: 403 | 502 | 504, message: string, refused = status === 403) {
    super(message);
    this.status = status;
    this.refused = refused;
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

/** Every wait ends with `signal`: whoever asked has left, and what was opened for them is closed. */
export interface Dialer {
  /** Resolves once and checks. Throws EgressError. */
  check(destination: Destination, signal: AbortSignal): Promise<Checked>;
  /** A connection to the destination, through the upstream proxy when the session has one. Throws EgressError. */
  connect(destination: Destination, signal: AbortSignal): Promise<Socket>;
  /** A connection to the session's http or https proxy itself, for requests that it forwards. Throws EgressError. */
  connectToProxy(proxy: UpstreamProxy, signal: AbortSignal): Promise<Socket>;
  /** Bytes in both directions over all connections, ended ones included. */
  readonly bytes: () => number;
}

const MAX_ADDRESSES = 3;
/** `handshake`: all that is said with an upstream proxy before it has connected. */
const DEADLINES = { resolveMs: 5000, connectMs: 10_000, handshakeMs: 15_000 };

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
  deadlines?: typeof DEADLINES;
}): Dialer {
  const { resolveMs, connectMs, handshakeMs } = options.deadlines ?? DEADLINES;
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

  /**
   * The addresses behind a name. Whatever `verdict` has against them, the words are those for a name that does not
   * exist: else a page could ask its way through the names of the cluster.
   */
  async function addressesOf(
    host: string,
    verdict: (addresses: readonly string[]) => { allowed: true } | { allowed: false; because: string },
    signal: AbortSignal,
  ): Promise<string[]> {
    const name = normalHost(host);
    const addresses = isAddress(name) ? [name] : await resolved(name, signal);
    const judged = verdict(addresses);
    if (judged.allowed) return addresses;
    if (isAddress(name)) throw new EgressError(403, judged.because);
    throw nowhere(name, addresses.length > 0);
  }

  async function resolved(name: string, signal: AbortSignal): Promise<string[]> {
    const end = waitOf(signal, resolveMs, () => new EgressError(504, `${name} was not resolved in time`));
    try {
      return await Promise.race([resolve(name), end.promise]);
    } catch (error) {
      throw error instanceof EgressError ? error : nowhere(name, false);
    } finally {
      end.cancel();
    }
  }

  async function check({ host, port }: Destination, signal: AbortSignal): Promise<Checked> {
    const rules = options.rules();
    const byName = judgeName(rules, host, port);
    if (!byName.allowed) throw new EgressError(403, byName.because);
    const destination = { host, port, byCidr: byName.byCidr };
    const addresses = await addressesOf(host, (found) => judgeAddresses(rules, destination, found), signal);
    const inside = addresses.every((address) => classifyAddress(address, rules.floor.clusterCidrs).kind === 'internal');
    return { addresses, inside };
  }

  /** Tries the checked addresses in the resolver's order: a pod may lack a route to one family. */
  async function openAny(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
    let failure: unknown;
    for (const address of addresses.slice(0, MAX_ADDRESSES)) {
      try {
        return await openPinned(address, port, signal);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  async function openPinned(address: string, port: number, signal: AbortSignal): Promise<Socket> {
    const end = waitOf(signal, connectMs, () => new EgressError(504, 'the destination did not answer in time'));
    // Aborted before it began: nothing is opened.
    if (signal.aborted) return end.promise;
    const socket = count(open(address, port));
    const ready = Promise.withResolvers<Socket>();
    socket.once('connect', () => ready.resolve(socket));
    socket.once('error', () => ready.reject(new EgressError(502, 'the destination refused the connection')));
    try {
      return await Promise.race([ready.promise, end.promise]);
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      end.cancel();
    }
  }

  /** What is said on `socket` before it is of use; it is destroyed when that fails or takes too long. */
  async function shakeHands<T>(socket: Socket, signal: AbortSignal, talk: () => Promise<T>): Promise<T> {
    const end = waitOf(signal, handshakeMs, () => new EgressError(504, 'the upstream proxy did not answer in time'));
    try {
      return await Promise.race([talk(), end.promise]);
    } catch (error) {
      socket.destroy();
      if (error instanceof EgressError) throw error;
      throw new EgressError(502, error instanceof Error ? error.message : 'the upstream proxy failed');
    } finally {
      end.cancel();
    }
  }

  /** The session's egress class says nothing about its own proxy; the address check does. */
  async function openProxy(proxy: UpstreamProxy, signal: AbortSignal): Promise<Socket> {
    const { host, port } = proxy;
    const judge = (found: readonly string[]) => judgeAddresses(options.rules(), { host, port, byCidr: false }, found);
    const socket = await openAny(await addressesOf(host, judge, signal), port, signal);
    return shakeHands(socket, signal, () => secureToProxy(socket, proxy));
  }

  return {
    check,
    async connect(destination, signal) {
      const { addresses, inside } = await check(destination, signal);
      const proxy = options.upstream();
      if (!proxy || inside) return openAny(addresses, destination.port, signal);
      const socket = await openProxy(proxy, signal);
      // By name: the proxy resolves for itself, near the pages it fetches.
      const target = { host: normalHost(destination.host), port: destination.port };
      await shakeHands(socket, signal, () => openThroughProxy(socket, proxy, target));
      return socket;
    },
    connectToProxy: openProxy,
    bytes() {
      let bytes = endedBytes;
      for (const socket of live) bytes += socket.bytesRead + socket.bytesWritten;
      return bytes;
    },
  };
}

const nowhere = (name: string, refused: boolean): EgressError =>
  new EgressError(502, `${name} has no address that this browser may reach`, refused);

/** A promise that fails when the wait has been too long or is no longer wanted. */
function waitOf(signal: AbortSignal, ms: number, late: () => EgressError): { promise: Promise<never>; cancel(): void } {
  const { promise, reject } = Promise.withResolvers<never>();
  // Whoever races with it hears of it; a wait that was over first has no listener.
  promise.catch(() => undefined);
  const leave = (): void => reject(new EgressError(502, 'nobody waits for it any more', false));
  const timer = setTimeout(() => reject(late()), ms);
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  return {
    promise,
    cancel() {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    },
  };
}
