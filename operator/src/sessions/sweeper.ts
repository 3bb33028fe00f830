import type { Client } from '@podwright/kube/client';
import type { Log } from '@podwright/kube/reflector';
import { RESOURCE } from '@podwright/kube/resource';
import { LABEL } from '@podwright/api/names';
import type { Pod } from '@podwright/kube/objects';
import type { Caches } from '../caches.ts';
import { isDeleting } from '../pods/pod-state.ts';
import type { PodEffects } from './pod-effects.ts';

/** What is found younger than this was left by a crash a moment ago; older, it was overlooked: a leak. */
const YOUNG_MS = 30_000;
const EVERY_MS = 30_000;

/** Pods that name a session which is not known. */
export function findOrphans(pods: readonly Pod[], sessionExists: (uid: string) => boolean): Pod[] {
  return pods.filter((pod) => {
    const uid = pod.metadata.labels?.[LABEL.sessionUid];
    return uid !== undefined && !sessionExists(uid) && !isDeleting(pod);
  });
}

export const isLeak = (pod: Pod, now: number): boolean => now - Date.parse(pod.metadata.creationTimestamp) >= YOUNG_MS;

/**
 * Looks for orphans and deletes them: at the start, because a crash may have come between a pod and the finalizer of its
 * session; when a session goes before its pod; and every half minute, for what nobody thought of.
 */
export function startSweeper(options: {
  client: Client;
  caches: Caches;
  pods: Pick<PodEffects, 'remove'>;
  onSwept: (leaked: number) => void;
  now: () => number;
  log: Log;
}): { stop(): void } {
  const { client, caches, log } = options;
  let sweeping = false;
  let again = false;

  /** Asks the API server: a pod may be in the caches before its session. */
  async function isOrphan({ metadata }: Pod): Promise<boolean> {
    const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'BrowserSession');
    if (!owner) return true;
    const session = await client.find(RESOURCE.browserSessions, { namespace: metadata.namespace, name: owner.name });
    return session?.metadata.uid !== metadata.labels?.[LABEL.sessionUid];
  }

  async function sweep(): Promise<void> {
    const exists = (uid: string): boolean => caches.sessions.store.getByUid(uid) !== undefined;
    let leaked = 0;
    for (const pod of findOrphans(caches.pods.store.list(), exists)) {
      if (!(await isOrphan(pod))) continue;
      if (isLeak(pod, options.now())) leaked += 1;
      log.warn({ namespace: pod.metadata.namespace, pod: pod.metadata.name }, 'a pod of no session is deleted');
      await options.pods.remove(pod, 1);
    }
    options.onSwept(leaked);
  }

  function begin(): void {
    again = sweeping;
    if (sweeping) return;
    sweeping = true;
    sweep()
      .catch((error: unknown) => log.warn({ err: error }, 'sweeping failed'))
      .finally(() => {
        sweeping = false;
        if (again) begin();
      });
  }

  const unsubscribe = [
    caches.sessions.onChange(({ type, object }) => {
      if (type !== 'removed') return;
      if (caches.pods.store.by('sessionUid', object.metadata.uid).some((pod) => !isDeleting(pod))) begin();
    }),
    // Its session was deleted while the pod was being made. Those of the first list are looked at below, all at once.
    caches.pods.onChange(({ type, object }) => {
      const uid = object.metadata.labels?.[LABEL.sessionUid];
      if (type === 'added' && uid !== undefined && !caches.sessions.store.getByUid(uid)) begin();
    }),
  ];
  begin();
  const timer = setInterval(begin, EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      for (const end of unsubscribe) end();
    },
  };
}
