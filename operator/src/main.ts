import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { INTERNAL_TOKEN_PATH } from '@podwright/api/names';
import { createClient } from '@podwright/kube/client';
import { connect } from '@podwright/kube/connection';
import { createEventRecorder } from '@podwright/kube/event-recorder';
import { startHealthServer } from '@podwright/kube/health-server';
import { type LeaseHold, acquireLease } from '@podwright/kube/lease';
import { startTokenSigner } from '@podwright/kube/token-signer';
import { pino } from 'pino';
import { Agent } from 'undici';
import { startCaches } from './caches.ts';
import { readConfig } from './config.ts';
import { createKeeperClient } from './keeper-client.ts';
import { createTemplates } from './pods/templates.ts';
import { createProbes } from './process/probes.ts';
import { startLeading } from './process/lead.ts';
import { createMetrics } from './process/metrics.ts';
import { createPodSettings, readTokenKeys } from './process/pod-settings.ts';
import { startTokenKeys } from './process/token-keys.ts';

const VERSION = process.env['PODWRIGHT_VERSION'] ?? '0.1.0';
const config = readConfig(process.env);
const log = pino({ level: config.logLevel, base: { part: 'operator', pod: config.podName } });
const now = Date.now;
/** How long work may take to end before the lease is given back. */
const STOP_IN_ORDER_MS = 400;

const stopping = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => stopping.abort(new Error(signal)));
}

const mountedKeys = await readTokenKeys(config.tokenKeysFile);
const signer = await startTokenSigner({
  issuer: 'operator',
  installation: config.installation,
  keyDir: config.tokenKeyDir,
  releasedFile: join(dirname(config.tokenKeysFile), 'signing.json'),
  now,
  log,
});

let lease: LeaseHold | undefined;
const userAgent = `podwright-operator/${VERSION}`;
const connection = await connect({ now });
/** Reads, the lease itself and nothing else: this client writes without asking who leads. */
const client = createClient({ connection, userAgent });
const leaderClient = createClient({
  connection,
  userAgent,
  beforeWrite: () => lease!.assertHeld(),
  onWrite: (fact) => metrics.wrote(fact),
});
// Pods come and go by the hundred: their connections are few, short-lived and never pipelined.
// What a pod answers is read whole; a hostile one must not fill the operator's memory.
const dispatcher = new Agent({
  keepAliveTimeout: 2_000,
  connect: { timeout: 3_000 },
  allowH2: false,
  maxResponseSize: 4 * 1024 * 1024,
});

const caches = startCaches({ client, now, log });
const metrics = createMetrics({ caches, isLeader: () => lease?.held() ?? false, version: VERSION });
const health = await startHealthServer({
  port: config.httpPort,
  registry: metrics.registry,
  ...createProbes(caches.health),
});

async function lead(): Promise<void> {
  await caches.synced(stopping.signal);
  log.info({ kinds: caches.health().length }, 'caches are filled; waiting for the lease');
  lease = await acquireLease(
    {
      client,
      namespace: config.namespace,
      name: `${config.prefix}-operator`,
      identity: `${config.podName}_${crypto.randomUUID().slice(0, 8)}`,
      log,
      monotonic: () => performance.now(),
      now,
    },
    stopping.signal,
  );
  lease.lost.addEventListener('abort', () => {
    if (stopping.signal.aborted) return;
    // Another replica may lead by now: nothing of this process may go on, not even what it has begun.
    log.error({ reason: String(lease?.lost.reason) }, 'the lease is lost; this process ends');
    process.exit(1);
  });
  const events = createEventRecorder({
    client: leaderClient,
    component: 'podwright.dev/operator',
    instance: config.podName,
    now,
    log,
  });
  const tokenKeys = await startTokenKeys({
    client: leaderClient,
    namespace: config.namespace,
    prefix: config.prefix,
    mounted: mountedKeys,
    pods: () => caches.pods.store.list(),
    now,
    log,
  });
  const leading = startLeading({
    config,
    client: leaderClient,
    caches,
    templates: createTemplates({
      settings: createPodSettings({
        config,
        tokenKeys: () => tokenKeys.current(),
        nodes: () => caches.nodes.store.list(),
        gateway: () => caches.services.store.get(`${config.namespace}/${config.prefix}-gateway`),
      }),
    }),
    signer,
    keeper: createKeeperClient({
      url: config.keeperUrl,
      tokenFile: config.internalTokenFile ?? INTERNAL_TOKEN_PATH,
      dispatcher,
    }),
    events,
    metrics,
    dispatcher,
    now,
    monotonic: () => performance.now(),
    log,
  });
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  if (stopping.signal.aborted) resolve();
  stopping.signal.addEventListener('abort', () => resolve(), { once: true });
  await asked;
  // The next leader waits for this. What has not ended by then is stopped by the fence: a released lease is not held.
  const inOrder = Promise.all([leading.stop(), tokenKeys.stop()]).then(() => events.flush());
  await Promise.race([inOrder, sleep(STOP_IN_ORDER_MS)]);
  await lease.release();
}

try {
  await lead();
} catch (error) {
  if (!stopping.signal.aborted) {
    log.fatal({ err: error }, 'the operator ends');
    process.exitCode = 1;
  }
}
log.info('stopping');
await signer.stop();
await caches.stop();
await health.stop();
await dispatcher.destroy();
await connection.close();
