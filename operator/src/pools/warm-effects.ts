import type { BrowserPool } from '@podwright/api/kinds/pool';
import type { Client } from '@podwright/kube/client';
import { KubeError, isAlreadyExists, isConflict, isQuota, isRetryable } from '@podwright/kube/kube-error';
import type { Pod } from '@podwright/kube/objects';
import { RESOURCE } from '@podwright/kube/resource';
import type { Caches } from '../caches.ts';
import type { CreateGate } from '../pods/create-gate.ts';
import { newWarmPod } from '../pods/new-pod.ts';
import type { Failure } from '../pods/pod-failure.ts';
import type { PodTemplate } from '../pods/pod-template.ts';

/** Names of creates whose answer was lost. Used again, they find the pod they made, or make it: never a second one. */
export type Unanswered = Set<string>;

export interface WarmEffects {
  /** Creates `count` warm pods; a refusal by the API server is a value. Throws when there was no answer. */
  create(pool: BrowserPool, template: PodTemplate, count: number, unanswered: Unanswered): Promise<Failure | undefined>;
  /** Deletes a pod that nobody has claimed. False: it changed meanwhile, by a claim perhaps, and was left alone. */
  remove(pod: Pod): Promise<boolean>;
}

/** Creates sent at once: more only queue up at the API server. */
const CREATES_AT_ONCE = 10;
/** Nothing in a warm pod is worth waiting for. */
const GRACE_SECONDS = 1;

export function createWarmEffects(options: {
  client: Client;
  caches: Pick<Caches, 'pods'>;
  gate: CreateGate;
  /** Pods that a session is claiming right now. */
  reserved: ReadonlySet<string>;
  /** 8 hex characters. */
  randomName: () => string;
}): WarmEffects {
  const { client, caches, gate, reserved } = options;

  async function createOne(
    pool: BrowserPool,
    template: PodTemplate,
    unanswered: Unanswered,
  ): Promise<Failure | undefined> {
    const [lost] = unanswered;
    const name = lost ?? options.randomName();
    unanswered.delete(name);
    const pod = newWarmPod(pool, template, name);
    try {
      caches.pods.remember(await client.create(RESOURCE.pods, pod));
    } catch (error) {
      if (isAlreadyExists(error)) {
        const existing = await client.find(RESOURCE.pods, pod.metadata);
        if (existing) caches.pods.remember(existing);
        return undefined;
      }
      if (!(error instanceof KubeError)) throw error;
      const { message } = error;
      if (isRetryable(error)) {
        unanswered.add(name);
        throw error;
      }
      return { reason: isQuota(error) ? 'QuotaExceeded' : 'InvalidSpec', message };
    }
    return undefined;
  }

  return {
    async create(pool, template, count, unanswered) {
      const namespace = pool.metadata.namespace ?? '';
      const one = () => gate.through(namespace, () => createOne(pool, template, unanswered));
      // The first alone: when a quota is used up, nine more refusals tell nothing.
      for (let left = count, size = 1; left > 0; left -= size, size = Math.min(left, CREATES_AT_ONCE)) {
        const batch = await Promise.allSettled(Array.from({ length: size }, one));
        const failed = batch.find((result) => result.status === 'rejected');
        if (failed) throw failed.reason;
        const refused = batch.flatMap((result) =>
          result.status === 'fulfilled' && result.value ? [result.value] : [],
        );
        if (refused.length > 0) return refused[0];
      }
      return undefined;
    },
    async remove(pod) {
      const { namespace, name, uid, resourceVersion } = pod.metadata;
      if (reserved.has(uid)) return false;
      // The version makes sure that nobody claimed it since this cache saw it.
      const guard = { uid, resourceVersion, gracePeriodSeconds: GRACE_SECONDS };
      try {
        const deleting = await client.delete(RESOURCE.pods, { namespace, name }, guard);
        if (deleting) caches.pods.remember(deleting);
        else caches.pods.forget(pod);
        return true;
      } catch (error) {
        if (!isConflict(error)) throw error;
        const current = await client.find(RESOURCE.pods, { namespace, name });
        // It is as it was: no event will follow that could bring the next look.
        if (current?.metadata.uid === uid && current.metadata.resourceVersion === resourceVersion) throw error;
        if (current) caches.pods.remember(current);
        else caches.pods.forget(pod);
        return false;
      }
    },
  };
}
