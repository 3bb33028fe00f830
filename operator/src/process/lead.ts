import type { Signer } from '@podwright/api/tokens';
import type { Client } from '@podwright/kube/client';
import type { EventRecorder } from '@podwright/kube/event-recorder';
import type { Log } from '@podwright/kube/reflector';
import { keyOf } from '@podwright/kube/resource';
import type { Dispatcher } from 'undici';
import { createBackground } from '../background.ts';
import type { Caches } from '../caches.ts';
import type { Config } from '../config.ts';
import type { KeeperClient } from '../keeper-client.ts';
import { createPodDoor } from '../pods/pod-door.ts';
import type { Templates } from '../pods/templates.ts';
import { startPoolController } from '../pools/controller.ts';
import { startProfileController } from '../profiles/controller.ts';
import { createAdmitter } from '../sessions/admitter.ts';
import { startSessionController } from '../sessions/controller.ts';
import { createExecute } from '../sessions/execute.ts';
import { createPodEffects } from '../sessions/pod-effects.ts';
import { createSessionEffects } from '../sessions/session-effects.ts';
import { startSweeper } from '../sessions/sweeper.ts';
import { startTenantController } from '../tenants/controller.ts';
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
  log: Log;
}): { stop(): Promise<void> } {
  const { config, client, caches, templates, metrics, now, log } = options;
  const common = { client, caches, events: options.events, keeper: options.keeper, now, log };
  const reserved = new Set<string>();
  const background = createBackground({ log });
  const podEffects = createPodEffects({ client, caches, templates, reserved, now });
  const sessionEffects = createSessionEffects({ client, caches });
  // The queue and what wakes it need each other; both are used only after this function has returned.
  const wake = (sessionKey: string): void => sessions.queue.add(sessionKey);
  const execute = createExecute({
    pods: podEffects,
    sessions: sessionEffects,
    door: createPodDoor({ signer: options.signer, dispatcher: options.dispatcher }),
    keeper: options.keeper,
    background,
    wake: (session) => wake(keyOf(session)),
    now,
  });
  const admitter = createAdmitter({
    caches,
    maxStarting: config.maxStarting,
    onVerdict: (sessionKey) => setImmediate(() => wake(sessionKey)),
  });
  const sessions = startSessionController({
    ...common,
    templates,
    admitter,
    execute,
    effects: sessionEffects,
    reserved,
    onWritten: metrics.written,
    onDone: metrics.pass('sessions'),
  });
  const parts = [
    startTenantController({
      ...common,
      releaseNamespace: config.namespace,
      clusterCidrs: config.clusterCidrs,
      onDone: metrics.pass('tenants'),
    }),
    startPoolController({
      ...common,
      templates,
      pods: podEffects,
      onRemoved: ({ metadata }, reason) =>
        metrics.warmRemoved.inc({ namespace: metadata.namespace ?? '', pool: metadata.name, reason }),
      onDone: metrics.pass('pools'),
    }),
    startProfileController({ ...common, onDone: metrics.pass('profiles') }),
    sessions,
  ];
  const sweeper = startSweeper({ caches, pods: podEffects, onSwept: (leaked) => metrics.leaked.set(leaked), now, log });
  return {
    async stop() {
      sweeper.stop();
      await Promise.all([background.stop(), ...parts.map((part) => part.stop())]);
    },
  };
}
