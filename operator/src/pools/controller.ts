import { randomBytes } from 'node:crypto';
import type { BrowserPool } from '@podwright/api/kinds/pool';
import { FIELD_MANAGER, GROUP_VERSION } from '@podwright/api/names';
import type { Client } from '@podwright/kube/client';
import type { EventRecorder } from '@podwright/kube/event-recorder';
import { KubeError, isAlreadyExists, isConflict, isNotFound, isQuota, isRetryable } from '@podwright/kube/kube-error';
import type { Log } from '@podwright/kube/reflector';
import { RESOURCE, keyOf } from '@podwright/kube/resource';
import { type WorkQueue, startWorkQueue } from '@podwright/kube/work-queue';
import type { Caches } from '../caches.ts';
import { canonicalJson } from '../canonical-json.ts';
import { podsOfPool, tenantOfNamespace } from '../lookup.ts';
import { newWarmPod } from '../pods/new-pod.ts';
import type { Failure } from '../pods/pod-failure.ts';
import { isCordoned, isNodeNews } from '../pods/pod-state.ts';
import type { Templates } from '../pods/templates.ts';
import type { PodEffects } from '../sessions/pod-effects.ts';
import { type Removal, decidePool } from './decide.ts';

/** Creates sent at once: more only queue up at the API server. */
const CREATES_AT_ONCE = 10;
const FAILURES_REMEMBERED = 10;
const FAILURE_MEMORY_MS = 600_000;

interface PoolMemory {
  failures: number[];
  refused: (Failure & { at: number }) | undefined;
}

export function startPoolController(options: {
  client: Client;
  caches: Caches;
  templates: Templates;
  pods: Pick<PodEffects, 'remove'>;
  events: EventRecorder;
  onRemoved: (pool: BrowserPool, why: Removal['why']) => void;
  onDone: (seconds: number, outcome: 'done' | 'failed') => void;
  now: () => number;
  log: Log;
}): { queue: WorkQueue; stop(): Promise<void> } {
  const { client, caches, templates, now, log } = options;
  const memories = new Map<string, PoolMemory>();

  async function createWarm(pool: BrowserPool, tenant: string): Promise<void> {
    const pod = newWarmPod(pool, templates.of(pool, tenant), randomBytes(4).toString('hex'));
    try {
      caches.pods.remember(await client.create(RESOURCE.pods, pod));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  /** Creates; a refusal is remembered for status and pauses the pool. */
  async function fill(pool: BrowserPool, tenant: string, count: number, memory: PoolMemory): Promise<void> {
    memory.refused = undefined;
    for (let left = count; left > 0; left -= CREATES_AT_ONCE) {
      const batch = Array.from({ length: Math.min(left, CREATES_AT_ONCE) }, () => createWarm(pool, tenant));
      const failed = (await Promise.allSettled(batch)).find((one) => one.status === 'rejected');
      if (!failed) continue;
      const error: unknown = failed.reason;
      if (!(error instanceof KubeError)) throw error;
      const { message } = error;
      if (isRetryable(error)) throw error;
      memory.refused = { reason: isQuota(error) ? 'QuotaExceeded' : 'InvalidSpec', message, at: now() };
      return;
    }
  }

  async function writeStatus(pool: BrowserPool, status: NonNullable<BrowserPool['status']>): Promise<void> {
    if (canonicalJson(pool.status) === canonicalJson(status)) return;
    const { namespace, name } = pool.metadata;
    const metadata = { namespace: namespace ?? '', name };
    const body = { apiVersion: GROUP_VERSION, kind: 'BrowserPool', metadata, status };
    const how = { fieldManager: FIELD_MANAGER.operator, subresource: 'status' };
    try {
      caches.pools.remember(await client.apply(RESOURCE.browserPools, body, how));
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  async function work(key: string): Promise<{ at?: number | undefined }> {
    const pool = caches.pools.store.get(key);
    if (!pool) {
      memories.delete(key);
      return {};
    }
    let memory = memories.get(key);
    if (!memory) memories.set(key, (memory = { failures: [], refused: undefined }));
    memory.failures = memory.failures.filter((at) => now() - at < FAILURE_MEMORY_MS).slice(-FAILURES_REMEMBERED);
    const tenant = tenantOfNamespace(caches, pool.metadata.namespace ?? '')?.metadata.name;
    const observe = () => ({
      now: now(),
      pool,
      templateHash: tenant === undefined ? undefined : templates.of(pool, tenant).hash,
      pods: podsOfPool(caches, pool),
      cordoned: new Set(
        caches.nodes.store
          .list()
          .filter(isCordoned)
          .map((node) => node.metadata.name),
      ),
      ...memory,
    });
    const plan = decidePool(observe());
    for (const { pod, why, words } of plan.remove) {
      await options.pods.remove(pod, 1);
      options.onRemoved(pool, why);
      if (why !== 'dead' && why !== 'stuck') continue;
      memory.failures.push(now());
      const note = `warm pod ${pod.metadata.name} was removed: ${words}`;
      options.events.record(pool, { type: 'Warning', reason: 'PodFailed', action: 'Replace', note });
    }
    if (plan.create > 0 && tenant !== undefined) await fill(pool, tenant, plan.create, memory);
    // What was created or refused a moment ago belongs into this status, not into the next.
    const after = decidePool(observe());
    const { conditions } = plan.remove.length > 0 ? plan.status : after.status;
    await writeStatus(pool, { ...after.status, ...(conditions && { conditions }) });
    const instants = [plan.at, after.at].filter((at) => at !== undefined);
    return instants.length === 0 ? {} : { at: Math.min(...instants) };
  }

  const queue = startWorkQueue({ name: 'pools', work, concurrency: 4, now, log, onDone: options.onDone });
  const addAll = (): void => caches.pools.store.list().forEach((pool) => queue.add(keyOf(pool)));
  const unsubscribe = [
    caches.pools.onChange(({ object }) => queue.add(keyOf(object))),
    caches.pods.onChange(({ object }) => {
      const owner = caches.pools.store.by('label', caches.poolLabelOf(object))[0];
      if (owner) queue.add(keyOf(owner));
    }),
    caches.tenants.onChange(addAll),
    caches.nodes.onChange((change) => {
      if (change.type === 'changed' && isNodeNews(change.previous, change.object)) addAll();
    }),
  ];
  return {
    queue,
    async stop() {
      for (const end of unsubscribe) end();
      await queue.stop();
    },
  };
}
