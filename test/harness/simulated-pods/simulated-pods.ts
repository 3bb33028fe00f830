import { LABEL } from '@podwright/api/names';
import type { PublicKeySet } from '@podwright/api/tokens';
import type { Client } from '@podwright/kube/client';
import { isAlreadyExists } from '@podwright/kube/kube-error';
import type { Pod } from '@podwright/kube/objects';
import { type Log, startReflector } from '@podwright/kube/reflector';
import { RESOURCE } from '@podwright/kube/resource';
import { createDoors } from './doors.ts';
import { type PodTimes, type SimulatedPod, startSimulatedPod } from './kubelet.ts';

/**
 * Scheduler, kubelets and supervisors as the API server and the operator see them, without a container: browser pods are
 * placed on nodes that exist only as objects, become Ready after a while, answer their door on a loopback address of
 * their own, and go when they are deleted. A simulation: there is no browser, no probe and no policy behind it. What it
 * proves is what the operator does, and a latch that two sessions fought for.
 */
export interface SimulatedPods {
  /** A container of a pod dies. */
  kill: (podUid: string, ...how: Parameters<SimulatedPod['kill']>) => Promise<void>;
  /** Every session that was bound to a pod, in order: pod UID to session UIDs. More than one is a wrong that was prevented. */
  readonly bindings: ReadonlyMap<string, readonly string[]>;
  /** What went wrong in the simulation itself. */
  readonly errors: readonly unknown[];
  stop(): Promise<void>;
}

export async function startSimulatedPods(options: {
  client: Client;
  installation: string;
  keys: PublicKeySet;
  /** Nodes that are made, `simulated-1` and so on. */
  nodes: number;
  /** Of one pod; asked once per pod. */
  times: (pod: Pod) => PodTimes;
  log: Log;
}): Promise<SimulatedPods> {
  const { client, log } = options;
  const doors = createDoors(options);
  const pods = new Map<string, SimulatedPod>();
  const errors: unknown[] = [];
  let placed = 0;

  function begin(pod: Pod): SimulatedPod {
    const supervisor = doors.create(pod.metadata.uid, {
      onConflict() {
        kubelet.kill('supervisor', { exitCode: 1, reason: 'Error' }).catch((error: unknown) => errors.push(error));
      },
      onCollected: () => kubelet.finish(),
    });
    const kubelet = startSimulatedPod({
      pod,
      node: `simulated-${1 + (placed++ % options.nodes)}`,
      client,
      times: options.times(pod),
      openDoor: () => doors.open(supervisor),
      onTerminate() {
        supervisor.end();
        return supervisor.boundTo === undefined;
      },
      onError: (error) => errors.push(error),
    });
    return kubelet;
  }

  await Promise.all(Array.from({ length: options.nodes }, (_, index) => makeNode(client, `simulated-${index + 1}`)));
  const reflector = startReflector({ client, resource: RESOURCE.pods, labelSelector: LABEL.pool, now: Date.now, log });
  reflector.onChange((change) => {
    const { uid, deletionTimestamp, deletionGracePeriodSeconds: grace = 0 } = change.object.metadata;
    if (change.type === 'removed') {
      pods.get(uid)?.forget();
      pods.delete(uid);
      return;
    }
    let pod = pods.get(uid);
    if (!pod) pods.set(uid, (pod = begin(change.object)));
    if (deletionTimestamp !== undefined) pod.terminate(grace * 1_000);
  });

  return {
    async kill(podUid, ...how) {
      const pod = pods.get(podUid);
      if (!pod) throw new Error(`no simulated pod has UID ${podUid}`);
      await pod.kill(...how);
    },
    bindings: doors.bindings,
    errors,
    async stop() {
      await reflector.stop();
      for (const pod of pods.values()) pod.forget();
      doors.close();
    },
  };
}

async function makeNode(client: Client, name: string): Promise<void> {
  await client.create(RESOURCE.nodes, { metadata: { name } }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
  const lastTransitionTime = new Date().toISOString();
  const conditions = [{ type: 'Ready', status: 'True' as const, reason: 'KubeletReady', lastTransitionTime }];
  const body = { status: { conditions, addresses: [{ type: 'InternalIP', address: '127.0.0.1' }] } };
  await client.patch(RESOURCE.nodes, { name }, { type: 'merge', body }, { subresource: 'status' });
}
