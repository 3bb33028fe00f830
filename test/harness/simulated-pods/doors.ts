import { createServer } from 'node:http';
import type { PublicKeySet } from '@podwright/api/tokens';
import { type PodAddress, createAddresses, openAddress } from './addresses.ts';
import { type SimulatedSupervisor, createSimulatedSupervisor } from './supervisor.ts';

/** The doors of simulated pods, each on a loopback address of its own, and what they saw. */
export interface Doors {
  /** A supervisor without an address yet. */
  create(podUid: string, events: { onConflict: () => void; onCollected: () => void }): SimulatedSupervisor;
  /** On an address that is free. */
  open(supervisor: SimulatedSupervisor): Promise<PodAddress>;
  /** On the address that somebody else gave the pod. */
  openAt(supervisor: SimulatedSupervisor, ip: string): Promise<PodAddress>;
  /** Every session that was bound to a pod, in order: pod UID to session UIDs. More than one is a wrong that was prevented. */
  readonly bindings: ReadonlyMap<string, readonly string[]>;
  close(): void;
}

export function createDoors(options: { installation: string; keys: PublicKeySet }): Doors {
  const byAddress = new Map<string, SimulatedSupervisor>();
  const bindings = new Map<string, string[]>();
  const http = createServer((request, response) => {
    const supervisor = byAddress.get(request.socket.localAddress ?? '');
    if (supervisor) void supervisor.handle(request, response);
    else response.destroy();
  });
  const onConnection = (socket: unknown): void => void http.emit('connection', socket);
  const addresses = createAddresses({ onConnection });

  function attend(supervisor: SimulatedSupervisor, address: PodAddress): PodAddress {
    byAddress.set(address.ip, supervisor);
    return {
      ip: address.ip,
      close() {
        byAddress.delete(address.ip);
        address.close();
      },
    };
  }

  return {
    create(podUid, events) {
      const note = (session: string): void => {
        bindings.set(podUid, [...new Set([...(bindings.get(podUid) ?? []), session])]);
      };
      return createSimulatedSupervisor({
        ...options,
        podUid,
        now: Date.now,
        onBound: note,
        onConflict(session) {
          note(session);
          events.onConflict();
        },
        onCollected: events.onCollected,
      });
    },
    open: async (supervisor) => attend(supervisor, await addresses.open()),
    async openAt(supervisor, ip) {
      const address = await openAddress(ip, onConnection);
      if (!address) throw new Error(`the pod port is taken on ${ip}`);
      return attend(supervisor, address);
    },
    bindings,
    close: () => http.closeAllConnections(),
  };
}
