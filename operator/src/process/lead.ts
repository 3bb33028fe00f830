import { randomBytes } from 'node:crypto';
import type { BrowserSession } from '@podwright/api/kinds/session';
import type { Signer } from '@podwright/api/tokens';
import type { Client } from '@podwright/kube/client';
import type { EventRecorder } from '@podwright/kube/event-recorder';
import type { Log } from '@podwright/kube/reflector';
import { keyOf } from '@podwright/kube/resource';
import { sleep } from '@podwright/kube/sleep';
import type { Dispatcher } from 'undici';
import { createBackground } from '../background.ts';
import type { Caches } from '../caches.ts';
import type { Config } from '../config.ts';
import type { KeeperClient } from '../keeper-client.ts';
import { createCreateGate } from '../pods/create-gate.ts';
import { createPodDoor } from '../pods/pod-door.ts';
import type { Templates } from '../pods/templates.ts';
import { startPoolController } from '../pools/controller.ts';
import { createWarmEffects } from '../pools/warm-effects.ts';
import { startProfileController } from '../profiles/controller.ts';
import { createAdmitter } from '../sessions/admitter.ts';
import { createReplacer } from '../sessions/replacer.ts';
import { startSessionController } from '../sessions/controller.ts';
import { createClockGuard } from '../sessions/clock-guard.ts';
import { createExecute } from '../sessions/execute.ts';
import { createPodEffects } from '../sessions/pod-effects.ts';
import { createSessionEffects } from '../sessions/session-effects.ts';
import { startSweeper } from '../sessions/sweeper.ts';
import { startTenantController } from '../tenants/controller.ts';
import { startRemovalController } from '../tenants/removal-controller.ts';
import type { Metrics } from './metrics.ts';

/** Everything that only the leader runs. */
export function startLeading(options: {
  config: Config;
  client: Client;
  caches: Caches;
  templates: Templates;
  signer: Signer;
  keeper: KeeperClient;
  events: EventRecorder;
  metrics: Metrics;
  dispatcher: Dispatcher;
  now: () => number;
  monotonic: () => number;
  log: Log;
}): { stop(): Promise<void> } {
  const { config, client, caches, templates, metrics, now, log } = options;
  const common = { client, caches, events: options.events, keeper: options.keeper, now, log };
  const reserved = new Set<string>();
  const background = createBackground({ log });
  const gate = createCreateGate({ now, onOpen: (namespace) => wakeHeldByQuota(namespace) });
  caches.pods.onChange((change) => {
    if (change.type === 'removed') gate.freed(change.object.metadata.namespace ?? '');
  });
  const podEffects = createPodEffects({ client, caches, templates, reserved, gate, now });
  const sessionEffects = createSessionEffects({ client, caches });
  // The queue and what wakes it need each other; both are used only after this function has returned.
  const wake = (sessionKey: string): void => sessions.queue.add(sessionKey);
  /** The one that has waited longest: when it gets its pod, the next is woken. */
  const wakeHeldByQuota = (namespace: string): void => {
    const held = caches.sessions.store.by('stageInNamespace', `quota/${namespace}`);
    const age = ({ metadata }: BrowserSession): string => metadata.creationTimestamp;
    const [oldest] = held.toSorted((a, b) => age(a).localeCompare(age(b)));
    if (oldest) setImmediate(() => wake(keyOf(oldest)));
  };
  const clock = createClockGuard({
    sessions: () => caches.sessions.store.by('stage', 'active'),
    serverTime: (signal) => client.serverTime({ signal }),
    monotonic: options.monotonic,
    now,
    pause: sleep,
    onHeld: (held) => metrics.clockHeld.set(held),
    log,
  });
  const door = createPodDoor({ signer: options.signer, dispatcher: options.dispatcher });
  const replacer = createReplacer({ client, caches, door, background, now, log });
  const execute = createExecute({
    pods: podEffects,
    sessions: sessionEffects,
    door,
    keeper: options.keeper,
    background,
    wake: (session) => wake(keyOf(session)),
    tombstone(session, words) {
      log.error({ session: keyOf(session), uid: session.metadata.uid }, words);
      // In a namespace that is being deleted no event can be recorded; those about a Namespace are kept elsewhere.
      const about = caches.namespaces.store.get(session.metadata.namespace ?? '') ?? session;
      const note = `session ${session.metadata.name} (${session.metadata.uid}): ${words}`;
      options.events.record(about, { type: 'Warning', reason: 'LetGo', action: 'Delete', note });
    },
    now,
  });
  const admitter = createAdmitter({
    caches,
    maxStarting: config.maxStarting,
    onVerdict: (sessionKey) => setImmediate(() => wake(sessionKey)),
    onWanted: (places) => replacer.want(places),
    now,
  });
  const sessions = startSessionController({
    ...common,
    templates,
    admitter,
    execute,
    effects: sessionEffects,
    reserved,
    gate,
    clock,
    onWritten: metrics.written,
    onDone: metrics.pass('sessions'),
  });
  const removals = startRemovalController({
    ...common,
    releaseNamespace: config.namespace,
    onProgress: (namespace) =>
      setImmediate(() => {
        for (const pool of caches.pools.store.by('namespace', namespace)) pools.queue.add(keyOf(pool));
      }),
    onDone: metrics.pass('removals'),
  });
  const pools = startPoolController({
    ...common,
    templates,
    gate,
    warm: createWarmEffects({ client, caches, gate, reserved, randomName: () => randomBytes(4).toString('hex') }),
    leftovers: removals.leftovers,
    onRemoved: ({ metadata }, reason) =>
      metrics.warmRemoved.inc({ namespace: metadata.namespace ?? '', pool: metadata.name, reason }),
    onDone: metrics.pass('pools'),
  });
  const parts = {
    removals,
    pools,
    tenants: startTenantController({
      ...common,
      releaseNamespace: config.namespace,
      clusterCidrs: config.clusterCidrs,
      onDone: metrics.pass('tenants'),
    }),
    profiles: startProfileController({
      ...common,
      releaseNamespace: config.namespace,
      prefix: config.prefix,
      onDone: metrics.pass('profiles'),
    }),
    sessions,
  };
  for (const [name, { queue }] of Object.entries(parts)) metrics.queue(name, queue);
  const sweeper = startSweeper({ client, caches, pods: podEffects, onSwept: metrics.swept, now, log });
  return {
    async stop() {
      sweeper.stop();
      replacer.stop();
      clock.stop();
      await Promise.all([background.stop(), ...Object.values(parts).map((part) => part.stop())]);
    },
  };
}
