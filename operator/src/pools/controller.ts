import type { BrowserPool } from '@podwright/api/kinds/pool';
import { FIELD_MANAGER } from '@podwright/api/names';
import { applyStatus } from '@podwright/kube/apply-status';
import type { Client } from '@podwright/kube/client';
import type { EventRecorder } from '@podwright/kube/event-recorder';
import type { Pod } from '@podwright/kube/objects';
import type { Log } from '@podwright/kube/reflector';
import { RESOURCE, keyOf } from '@podwright/kube/resource';
import { type PassFact, type WorkQueue, startWorkQueue } from '@podwright/kube/work-queue';
import type { Caches } from '../caches.ts';
import { canonicalJson } from '../canonical-json.ts';
import { podsOfPool, tenantOfNamespace } from '../lookup.ts';
import type { CreateGate } from '../pods/create-gate.ts';
import type { Failure } from '../pods/pod-failure.ts';
import { isNodeNews, nodeStateOf } from '../pods/pod-state.ts';
import type { Templates } from '../pods/templates.ts';
import { confinementOf } from './confinement.ts';
import { type PoolObservation, type Removal, decidePool } from './decide.ts';
import { createDemand } from './demand.ts';
import { startTimeMs } from './start-time.ts';
import { type TargetMemory, decideTarget } from './target.ts';
import type { Unanswered, WarmEffects } from './warm-effects.ts';

const FAILURES_REMEMBERED = 10;
const FAILURE_MEMORY_MS = 600_000;
/** What the leader before wanted counts this long, as if this one had wanted it. */
const INHERITED_MS = 120_000;

interface PoolMemory {
  failures: number[];
  refused: (Failure & { at: number }) | undefined;
  target: TargetMemory;
  unanswered: Unanswered;
}

export function startPoolController(options: {
  client: Client;
  caches: Caches;
  templates: Templates;
  warm: WarmEffects;
  gate: Pick<CreateGate, 'closed'>;
  events: EventRecorder;
  /** What is left of a tenant that was removed from this namespace. */
  leftovers: (namespace: string) => PoolObservation['leftovers'];
  onRemoved: (pool: BrowserPool, why: Removal['why']) => void;
  onDone: (fact: PassFact) => void;
  now: () => number;
  log: Log;
}): { queue: WorkQueue; stop(): Promise<void> } {
  const { client, caches, templates, warm, gate, now, log } = options;
  const memories = new Map<string, PoolMemory>();
  const demand = createDemand({ now });

  function memoryOf(key: string, pool: BrowserPool): PoolMemory {
    let memory = memories.get(key);
    if (!memory) {
      const wanted = pool.status?.target ?? 0;
      const target = { held: wanted > 0 ? [{ wanted, until: now() + INHERITED_MS }] : [] };
      memories.set(key, (memory = { failures: [], refused: undefined, target, unanswered: new Set() }));
    }
    memory.failures = memory.failures.filter((at) => now() - at < FAILURE_MEMORY_MS).slice(-FAILURES_REMEMBERED);
    return memory;
  }

  /** The target by demand, and when it is to be looked at again. */
  function targetOf(key: string, pool: BrowserPool, memory: PoolMemory): { target: number; at: number | undefined } {
    const { warm: { min = 0, max } = {}, maxSessions } = pool.spec;
    const room = (maxSessions ?? Number.POSITIVE_INFINITY) - caches.sessions.store.by('activeInPool', key).length;
    const {
      target,
      at,
      memory: next,
    } = decideTarget({
      now: now(),
      min,
      max: max ?? min,
      room,
      claims: demand.of(key),
      startMs: startTimeMs(podsOfPool(caches, pool)),
      memory: memory.target,
    });
    memory.target = next;
    return { target, at };
  }

  function observe(pool: BrowserPool, tenant: string | undefined, target: number, memory: PoolMemory): PoolObservation {
    const namespace = pool.metadata.namespace ?? '';
    const closed = gate.closed(namespace);
    // A session that waits for the quota needs the next pod more than the pool does.
    const isAwaited =
      closed !== undefined || caches.sessions.store.by('stageInNamespace', `quota/${namespace}`).length > 0;
    const template = tenant === undefined ? undefined : templates.of(pool, tenant);
    const pods = podsOfPool(caches, pool);
    return {
      now: now(),
      pool,
      templateHash: template?.hash,
      pods,
      confinement: confinementOf({ pool, offence: template?.offence, nodes: caches.nodes.store.list(), pods }),
      nodeState: (pod: Pod) => nodeStateOf(pod, caches.nodes.store.get(pod.spec.nodeName ?? ''), now()),
      target,
      failures: memory.failures,
      refused: memory.refused,
      pausedUntil: closed?.until ?? (isAwaited ? now() + 1_000 : undefined),
      leftovers: tenant === undefined ? options.leftovers(namespace) : undefined,
    };
  }

  async function writeStatus(pool: BrowserPool, status: NonNullable<BrowserPool['status']>): Promise<void> {
    if (canonicalJson(pool.status) === canonicalJson(status)) return;
    const how = { fieldManager: FIELD_MANAGER.operator };
    const written = await applyStatus(client, RESOURCE.browserPools, pool, status, how);
    if (written) caches.pools.remember(written);
  }

  async function removeAll(pool: BrowserPool, removals: readonly Removal[], memory: PoolMemory): Promise<void> {
    for (const { pod, why, words } of removals) {
      if (!(await warm.remove(pod))) continue;
      options.onRemoved(pool, why);
      if (why !== 'dead' && why !== 'stuck') continue;
      memory.failures.push(now());
      const note = `warm pod ${pod.metadata.name} was removed: ${words}`;
      options.events.record(pool, { type: 'Warning', reason: 'PodFailed', action: 'Replace', note });
    }
  }

  async function work(key: string): Promise<{ at?: number | undefined }> {
    const pool = caches.pools.store.get(key);
    if (!pool) {
      memories.delete(key);
      demand.forget(key);
      return {};
    }
    const memory = memoryOf(key, pool);
    const tenant = tenantOfNamespace(caches, pool.metadata.namespace ?? '')?.metadata.name;
    const target = targetOf(key, pool, memory);
    const plan = decidePool(observe(pool, tenant, target.target, memory));
    await removeAll(pool, plan.remove, memory);
    if (plan.create > 0 && tenant !== undefined) {
      const refused = await warm.create(pool, templates.of(pool, tenant), plan.create, memory.unanswered);
      memory.refused = refused && { ...refused, at: now() };
    }
    // What was created or refused a moment ago belongs into this status, not into the next.
    const after = decidePool(observe(pool, tenant, target.target, memory));
    const { conditions } = plan.remove.length > 0 ? plan.status : after.status;
    const latest = caches.pools.store.get(key) ?? pool;
    await writeStatus(latest, { ...after.status, ...(conditions && { conditions }) });
    const instants = [plan.at, after.at, target.at].filter((at) => at !== undefined);
    return instants.length === 0 ? {} : { at: Math.min(...instants) };
  }

  const queue = startWorkQueue({ name: 'pools', work, concurrency: 4, now, log, onDone: options.onDone });
  const addAll = (): void => caches.pools.store.list().forEach((pool) => queue.add(keyOf(pool)));
  const unsubscribe = [
    caches.sessions.onChange((change) => {
      const pool = demand.note(change);
      if (pool !== undefined) queue.add(pool);
    }),
    caches.pools.onChange(({ object }) => queue.add(keyOf(object))),
    caches.pods.onChange((change) => {
      const owner = caches.pools.store.by('label', caches.poolLabelOf(change.object))[0];
      if (!owner) return;
      queue.add(keyOf(owner));
      // The watch brought a pod whose create had no answer.
      memories.get(keyOf(owner))?.unanswered.delete(change.object.metadata.name.slice(-8));
    }),
    caches.tenants.onChange(addAll),
    caches.nodes.onChange((change) => {
      if (change.type !== 'changed' || isNodeNews(change.previous, change.object)) addAll();
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
