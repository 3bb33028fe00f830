import type { BrowserPool } from '@podwright/api/kinds/pool';
import type { BrowserSession } from '@podwright/api/kinds/session';
import type { Client } from '@podwright/kube/client';
import {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isInvalid,
  isNotFound,
  isQuota,
  isTerminating,
  KubeError,
} from '@podwright/kube/kube-error';
import type { Pod } from '@podwright/kube/objects';
import { RESOURCE } from '@podwright/kube/resource';
import type { Caches } from '../caches.ts';
import { claimable, oldest, tenantOf } from '../lookup.ts';
import type { CreateGate } from '../pods/create-gate.ts';
import { claimOf, newColdPod } from '../pods/new-pod.ts';
import { coldPodName } from '../pods/pod-names.ts';
import type { Failure } from '../pods/pod-failure.ts';
import type { Templates } from '../pods/templates.ts';
import { egressLabel, egressOf, maxDurationMs, podDeadlineSeconds } from './limits.ts';

export interface PodEffects {
  /** One guarded patch per candidate until one succeeds. False: none could be had. */
  claimWarm(session: BrowserSession, pool: BrowserPool): Promise<boolean>;
  /** The pod of a session's own. A refusal by the API server is a value: it is told in status and tried again. */
  createCold(session: BrowserSession, pool: BrowserPool): Promise<Failure | undefined>;
  /** Deletes exactly this pod; fine when it is gone. */
  remove(pod: Pod, graceSeconds: number): Promise<void>;
}

export function createPodEffects(options: {
  client: Client;
  caches: Caches;
  templates: Templates;
  /** Pods that a worker is claiming right now, so that two workers do not run for the same one. */
  reserved: Set<string>;
  gate: CreateGate;
  now: () => number;
}): PodEffects {
  const { client, caches, templates, reserved, gate, now } = options;

  async function claim(session: BrowserSession, pool: BrowserPool, pod: Pod): Promise<boolean> {
    const tenant = tenantOf(caches, session);
    const age = now() - Date.parse(pod.status?.startTime ?? pod.metadata.creationTimestamp);
    const deadline = podDeadlineSeconds(maxDurationMs(session, pool, tenant), age);
    const { labels, ownerReferences, activeDeadlineSeconds } = claimOf(
      session,
      egressLabel(egressOf(session, pool).egress),
      deadline,
    );
    const { namespace, name, resourceVersion } = pod.metadata;
    try {
      const claimed = await client.patch(
        RESOURCE.pods,
        { namespace, name },
        {
          type: 'merge',
          body: { metadata: { resourceVersion, labels, ownerReferences }, spec: { activeDeadlineSeconds } },
        },
      );
      caches.pods.remember(claimed);
      return true;
    } catch (error) {
      if (isNotFound(error)) caches.pods.forget(pod);
      else if (isConflict(error)) {
        const current = await client.find(RESOURCE.pods, { namespace, name });
        if (current) caches.pods.remember(current);
        else caches.pods.forget(pod);
      } else throw error;
      return false;
    }
  }

  return {
    async claimWarm(session, pool) {
      const tenant = tenantOf(caches, session);
      if (!tenant) return false;
      for (;;) {
        const candidates = claimable(caches, pool, templates.of(pool, tenant.metadata.name).hash, now());
        const pod = oldest(candidates.filter((candidate) => !reserved.has(candidate.metadata.uid)));
        if (!pod) return false;
        reserved.add(pod.metadata.uid);
        try {
          if (await claim(session, pool, pod)) return true;
        } finally {
          reserved.delete(pod.metadata.uid);
        }
      }
    },
    async createCold(session, pool) {
      const tenant = tenantOf(caches, session);
      if (!tenant) return { reason: 'UnknownTenant', message: 'the tenant is gone' };
      const deadline = podDeadlineSeconds(maxDurationMs(session, pool, tenant), 0);
      const label = egressLabel(egressOf(session, pool).egress);
      const pod = newColdPod(session, templates.of(pool, tenant.metadata.name), label, deadline);
      return gate.through(pod.metadata.namespace, async () => {
        try {
          caches.pods.remember(await client.create(RESOURCE.pods, pod));
          return undefined;
        } catch (error) {
          if (isAlreadyExists(error)) {
            // Our own, from a create whose answer was lost: the name holds the session's UID.
            const target = { namespace: pod.metadata.namespace, name: coldPodName(session.metadata.uid) };
            const existing = await client.find(RESOURCE.pods, target);
            if (existing) caches.pods.remember(existing);
            return undefined;
          }
          if (error instanceof KubeError) return refusal(error);
          throw error;
        }
      });
    },
    async remove(pod, gracePeriodSeconds) {
      const { namespace, name, uid } = pod.metadata;
      try {
        const deleting = await client.delete(RESOURCE.pods, { namespace, name }, { uid, gracePeriodSeconds });
        if (deleting) caches.pods.remember(deleting);
        else caches.pods.forget(pod);
      } catch (error) {
        if (!isConflict(error)) throw error;
        // Another object carries the name, and the one we meant is gone. Or somebody else was writing: then it is still
        // there, and who forgets it leaves it behind.
        const current = await client.find(RESOURCE.pods, { namespace, name });
        if (current?.metadata.uid === uid) throw error;
        caches.pods.forget(pod);
      }
    },
  };
}

function refusal(error: KubeError): Failure {
  const { message } = error;
  if (isQuota(error)) return { reason: 'QuotaExceeded', message };
  if (isTerminating(error)) return { reason: 'PodFailed', message: 'the namespace is being deleted' };
  if (isForbidden(error) || isInvalid(error) || isNotFound(error)) return { reason: 'InvalidSpec', message };
  throw error;
}
