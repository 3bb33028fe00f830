import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { createSigner } from '@podwright/api/tokens';
import { createClient } from '@podwright/kube/client';
import { connect } from '@podwright/kube/connection';
import { createDirectoryStore } from './blobs/directory-store.ts';
import { measured } from './blobs/measured-store.ts';
import { createS3Store } from './blobs/s3-store.ts';
import { profileObjects, tokenReviewer } from './cluster.ts';
import { COLLECT_LIMITS, createCollector } from './collect/collector.ts';
import { type PodAddress, createPodDoorClient } from './collect/pod-door-client.ts';
import { readConfig } from './config.ts';
import { addBlobRoutes } from './doors/blob-routes.ts';
import { createCallerCheck } from './doors/caller.ts';
import { addCollectRoute } from './doors/collect-route.ts';
import { addPresignRoute } from './doors/presign-route.ts';
import { addProfileRoutes } from './doors/profile-routes.ts';
import { createServer } from './doors/server.ts';
import { startHealthServer } from './health-server.ts';
import { createMetrics } from './metrics.ts';
import { createPresigner } from './presign/presigner.ts';
import { createProfileKeeper } from './profiles/profile-keeper.ts';
import { createProfileStore } from './profiles/profile-store.ts';
import { deriveKey, readWrappingKey } from './profiles/wrapping-key.ts';

/** Requests under way get this long when the process is told to end. */
const DRAIN_MS = 20_000;

const config = readConfig(process.env);
const now = Date.now;
const log = pino({ level: config.logLevel, base: { part: 'keeper' } });
const metrics = createMetrics();
const shutdown = new AbortController();

const wrappingKey = readWrappingKey(config.wrappingKeyFile);
const signer = await createSigner({
  issuer: 'keeper',
  installation: config.installation,
  kid: readFileSync(join(config.tokenKeyDir, 'kid'), 'utf8').trim(),
  privatePem: readFileSync(join(config.tokenKeyDir, 'private.pem'), 'utf8'),
  now,
});
const connection = await connect({ now });
const client = createClient({ connection, userAgent: 'podwright-keeper' });
const store = config.blobs.type === 's3' ? createS3Store(config.blobs) : await createDirectoryStore(config.blobs);
const blobs = measured(store, metrics);

const profiles = createProfileKeeper({
  store: createProfileStore({ blobs, wrappingKey, now }),
  objects: profileObjects(client),
  now,
});
const presigner = createPresigner({ key: deriveKey(wrappingKey, 'podwright presigned urls'), now });
const pod = (address: PodAddress) => createPodDoorClient({ address, signer });
const collector = createCollector({ blobs, profiles, pod, limits: COLLECT_LIMITS });

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
    await store.check(signal);
  },
});
await server.listen({ host: '::', port: config.port });
log.info({ port: config.port, blobs: config.blobs.type }, 'keeper is up');

async function drain(signal: NodeJS.Signals): Promise<void> {
  if (draining) return;
  draining = true;
  log.info({ signal }, 'draining');
  const patience = setTimeout(() => shutdown.abort(new Error('the keeper is shutting down')), DRAIN_MS);
  await server.close();
  clearTimeout(patience);
  health.close();
  await connection.close();
}
process.once('SIGTERM', (signal) => void drain(signal));
process.once('SIGINT', (signal) => void drain(signal));
