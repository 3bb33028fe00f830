import type { Log } from '@podwright/kube/reflector';
import { LABEL } from '@podwright/api/names';
import type { Pod } from '@podwright/kube/objects';
import type { Caches } from '../caches.ts';
import { isDeleting } from '../pods/pod-state.ts';
import type { PodEffects } from './pod-effects.ts';

/** A pod that was made a moment ago may be ahead of its session in the caches. */
const YOUNG_MS = 30_000;
const EVERY_MS = 30_000;

/** Pods that name a session which does not exist. There should be none; each one found is a leak that was stopped. */
export function findOrphans(pods: readonly Pod[], sessionExists: (uid: string) => boolean, now: number): Pod[] {
  return pods.filter((pod) => {
    const uid = pod.metadata.labels?.[LABEL.sessionUid];
    if (uid === undefined || sessionExists(uid) || isDeleting(pod)) return false;
    return now - Date.parse(pod.metadata.creationTimestamp) >= YOUNG_MS;
  });
}

/** Looks for orphans every half minute and deletes them. */
export function startSweeper(options: {
  caches: Caches;
  pods: Pick<PodEffects, 'remove'>;
  onSwept: (leaked: number) => void;
  now: () => number;
  log: Log;
}): { stop(): void } {
  const { caches, log } = options;
  async function sweep(): Promise<void> {
    const exists = (uid: string): boolean => caches.sessions.store.getByUid(uid) !== undefined;
    const orphans = findOrphans(caches.pods.store.list(), exists, options.now());
    options.onSwept(orphans.length);
    for (const pod of orphans) {
      log.warn({ namespace: pod.metadata.namespace, pod: pod.metadata.name }, 'a pod of no session is deleted');
      await options.pods.remove(pod, 1);
    }
  }
  const timer = setInterval(() => {
    sweep().catch((error: unknown) => log.warn({ err: error }, 'sweeping failed'));
  }, EVERY_MS);
  return { stop: () => clearInterval(timer) };
}
