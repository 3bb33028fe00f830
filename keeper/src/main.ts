import { join } from 'node:path';
import { pino } from 'pino';
import type { BrowserProfile } from '@podwright/api/kinds/profile';
import { createClient } from '@podwright/kube/client';
import { connect } from '@podwright/kube/connection';
import { startHealthServer } from '@podwright/kube/health-server';
import { startReflector } from '@podwright/kube/reflector';
import { RESOURCE } from '@podwright/kube/resource';
import { startTokenSigner } from '@podwright/kube/token-signer';
import { createDirectoryStore } from './blobs/directory-store.ts';
import { measured } from './blobs/measured-store.ts';
import { createS3Store } from './blobs/s3-store.ts';
import { profileObjects, profileTombstones, tokenReviewer } from './cluster.ts';
import { COLLECT_LIMITS, createCollector } from './collect/collector.ts';
import { type PodAddress, createPodDoorClient } from './collect/pod-door-client.ts';
import { readConfig } from './config.ts';
import { addBlobRoutes } from './doors/blob-routes.ts';
import { createCallerCheck } from './doors/caller.ts';
import { addCollectRoute } from './doors/collect-route.ts';
import { addPresignRoute } from './doors/presign-route.ts';
import { addProfileRoutes } from './doors/profile-routes.ts';
import { createServer } from './doors/server.ts';
import { createMetrics } from './metrics.ts';
import { createPresigner } from './presign/presigner.ts';
import { deriveKey, readKeyRing } from './profiles/key-ring.ts';
import { startPeriodicSaves } from './profiles/periodic-saves.ts';
import { createProfileKeeper } from './profiles/profile-keeper.ts';
import { createProfilePuller } from './profiles/profile-puller.ts';
import { createProfileStore } from './profiles/profile-store.ts';
import { startTombstones } from './profiles/tombstones.ts';
import { startAdminDoor } from './rotation/admin-door.ts';
import { createRewrapper } from './rotation/rewrapper.ts';
import { watchKeys } from './rotation/watch-keys.ts';

/** Requests under way get this long when the process is told to end. */
const DRAIN_MS = 20_000;
/** Login states pulled at the same time: each may be 16 MiB in memory, twice. */
const PULLS = 4;

const config = readConfig(process.env);
const now = Date.now;
const log = pino({ level: config.logLevel, base: { part: 'keeper' } });
const metrics = createMetrics();
const shutdown = new AbortController();

const ring = readKeyRing(config.wrappingKeyFile);
const signer = await startTokenSigner({
  issuer: 'keeper',
  installation: config.installation,
  keyDir: config.tokenKeyDir,
  releasedFile: join(config.tokenKeysDir, 'signing.json'),
  now,
  log,
});
const connection = await connect({ now });
const client = createClient({ connection, userAgent: 'podwright-keeper' });
const store = config.blobs.type === 's3' ? createS3Store(config.blobs) : await createDirectoryStore(config.blobs);
const blobs = measured(store, metrics);

const profileStore = createProfileStore({ blobs, ring, now });
const profiles = createProfileKeeper({ store: profileStore, objects: profileObjects(client), now });
const presigner = createPresigner({
  keys: () => ring.all.map((key) => deriveKey(key, 'podwright presigned urls')),
  now,
});
const pod = (address: PodAddress) => createPodDoorClient({ address, signer });
const pullProfile = createProfilePuller({
  profiles,
  pod,
  pulled: (outcome) => metrics.profilePulls.inc({ outcome }),
});
const collector = createCollector({ blobs, pullProfile, pod, limits: COLLECT_LIMITS });
const rewrapper = createRewrapper({
  ring,
  store: profileStore,
  profiles,
  onRound: ({ current, failed }) => {
    metrics.profilesByKey.set({ state: 'current' }, current);
    metrics.profilesByKey.set({ state: 'failed' }, failed);
  },
  log,
});
const keys = watchKeys({ ring, rewrapper, log });

const callerOf = createCallerCheck({
  review: tokenReviewer(client),
  namespace: config.namespace,
  prefix: config.prefix,
  now,
});
const server = createServer({ callerOf, metrics, log, shutdown: shutdown.signal });
addBlobRoutes(server, { blobs, presigner });
addPresignRoute(server, { presigner });
addProfileRoutes(server, { profiles, pod });
addCollectRoute(server, { collector, metrics, log });

let draining = false;
const health = await startHealthServer({
  port: config.metricsPort,
  registry: metrics.registry,
  ready: async (signal) => {
    if (draining) throw new Error('shutting down');
    await store.check(signal).catch(() => {
      throw new Error('the blob store does not answer');
    });
  },
});
const admin = await startAdminDoor({ port: config.adminPort, reloadKeys: () => keys.reload(), rewrapper });
await server.listen({ host: '::', port: config.port });

const heldProfiles = startReflector({
  client,
  resource: RESOURCE.browserProfiles,
  indexes: { held: (profile: BrowserProfile) => (profile.status?.holder ? ['true'] : []) },
  now,
  log,
});
const periodicSaves = startPeriodicSaves({
  held: () => heldProfiles.store.by('held', 'true'),
  session: async (target, signal) => (await client.find(RESOURCE.browserSessions, target, { signal })) ?? null,
  pull: pullProfile,
  everyMs: config.saveEveryMs,
  concurrency: PULLS,
  now,
  log,
});
const { namespace, prefix } = config;
const tombstones = startTombstones({ list: profileTombstones({ client, namespace, prefix }), profiles, log });
log.info({ port: config.port, blobs: config.blobs.type }, 'keeper is up');

async function drain(signal: NodeJS.Signals): Promise<void> {
  if (draining) return;
  draining = true;
  log.info({ signal }, 'draining');
  const patience = setTimeout(() => shutdown.abort(new Error('the keeper is shutting down')), DRAIN_MS);
  keys.stop();
  await Promise.all([server.close(), periodicSaves.stop(), tombstones.stop(), rewrapper.stop(), heldProfiles.stop()]);
  clearTimeout(patience);
  admin.close();
  await health.stop();
  await signer.stop();
  await connection.close();
}
process.once('SIGTERM', (signal) => void drain(signal));
process.once('SIGINT', (signal) => void drain(signal));
