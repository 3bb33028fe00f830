import { LABEL } from '@podwright/api/names';
import type { PublicKeySet } from '@podwright/api/tokens';
import type { Client } from '@podwright/kube/client';
import type { Pod } from '@podwright/kube/objects';
import { startReflector } from '@podwright/kube/reflector';
import { RESOURCE } from '@podwright/kube/resource';
import { silent } from '../../harness/kube.ts';
import type { PodAddress } from '../../harness/simulated-pods/addresses.ts';
import { createDoors } from '../../harness/simulated-pods/doors.ts';

/** Answers at the addresses that somebody else's kubelets gave to pods. kwok's pods have no supervisor; this is it. */
export async function startPodDoors(options: {
  client: Client;
  installation: string;
  keys: PublicKeySet;
}): Promise<{ readonly conflicts: number; readonly size: number; stop(): Promise<void> }> {
  const doors = createDoors(options);
  const open = new Map<string, Promise<PodAddress>>();
  let conflicts = 0;

  function look({ metadata, status }: Pod): void {
    const { uid, deletionTimestamp } = metadata;
    if (deletionTimestamp !== undefined || status?.podIP === undefined || open.has(uid)) return;
    const supervisor = doors.create(uid, { onConflict: () => (conflicts += 1), onCollected() {} });
    open.set(uid, doors.openAt(supervisor, status.podIP));
  }

  const { client } = options;
  const pods = startReflector({
    client,
    resource: RESOURCE.pods,
    labelSelector: LABEL.pool,
    now: Date.now,
    log: silent,
    // Ten thousand of them are kept here; nobody reads more than this.
    transform: ({ metadata, status }) => ({
      metadata: { ...metadata, ownerReferences: [] },
      spec: { containers: [] },
      ...(status?.podIP !== undefined && { status: { podIP: status.podIP } }),
    }),
  });
  pods.onChange((change) => {
    if (change.type !== 'removed') return look(change.object);
    const { uid } = change.object.metadata;
    void open.get(uid)?.then((address) => address.close());
    open.delete(uid);
  });
  await pods.synced(AbortSignal.timeout(30_000));
  return {
    get conflicts() {
      return conflicts;
    },
    get size() {
      return open.size;
    },
    async stop() {
      await pods.stop();
      for (const address of await Promise.all(open.values())) address.close();
      doors.close();
    },
  };
}
