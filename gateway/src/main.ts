import { join } from 'node:path';
import { CLOSE } from '@podwright/api/pod-door';
import { INTERNAL_TOKEN_PATH } from '@podwright/api/names';
import { createClient } from '@podwright/kube/client';
import { connect } from '@podwright/kube/connection';
import { startTokenSigner } from '@podwright/kube/token-signer';
import { createAttempts } from '@podwright/runs/attempts';
import { createConversations } from '@podwright/runs/conversations';
import { createWaitingLine } from '@podwright/runs/waiting-line';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { Agent } from 'undici';
import { createBrowserService } from './browsers/browser-service.ts';
import { createDownloads } from './browsers/downloads.ts';
import { readConfig } from './config.ts';
import { createConversationReader } from './conversations/conversation-reader.ts';
import { createFollowUp } from './conversations/follow-up.ts';
import { createPlanRun } from './conversations/plan-run.ts';
import { createRunFactory } from './conversations/run-factory.ts';
import { createConversationStarter } from './conversations/start-conversation.ts';
import { createConversationStopper } from './conversations/stop-conversation.ts';
import { startDispatcher } from './dispatch/dispatcher.ts';
import { createMarkQueued } from './dispatch/queue-run.ts';
import { createRunQueue } from './dispatch/run-queue.ts';
import { createEvictor } from './eviction/evictor.ts';
import { QUIET_ROUTES, createHttpServer } from './http/public-server.ts';
import { createAuthDoor } from './identity/auth-door.ts';
import { createBadKeyThrottle } from './identity/bad-key-throttle.ts';
import { createKeyStore } from './identity/key-store.ts';
import { registerInternal } from './internal/internal-server.ts';
import { createPartDoor } from './internal/part-door.ts';
import { createPodTokens } from './internal/pod-tokens.ts';
import { createKeeperClient } from './keeper-client.ts';
import { createDrain } from './lifecycle/drain.ts';
import { startLeader } from './lifecycle/leader.ts';
import { createLeaderWork } from './lifecycle/leader-work.ts';
import { REVOKED_CHANNEL, createLinks } from './links/links.ts';
import { createGatewaySecret } from './links/secret.ts';
import { createTickets } from './links/tickets.ts';
import { createCostLedger } from './metering/cost-ledger.ts';
import { createMetrics } from './metrics.ts';
import { readLinkKey, readModels } from './mounted-files.ts';
import { createPodClient } from './pod-client.ts';
import { createProfileCache } from './profiles/profile-cache.ts';
import { createProfileService } from './profiles/profile-service.ts';
import { registerPublic } from './routes/public-routes.ts';
import { createBrowserWishReader } from './sessions/browser-wishes.ts';
import { createBrowserCreator } from './sessions/create-browser-session.ts';
import { createCreateRate } from './sessions/create-rate.ts';
import { createRepeatGuard } from './sessions/repeat-guard.ts';
import { createSessionCache } from './sessions/session-cache.ts';
import { closeReasonOf, isOpen } from './sessions/session-state.ts';
import { createSessionStopper } from './sessions/stop-session.ts';
import { createManifestTasks } from './settle/manifest-task.ts';
import { createSettler } from './settle/settler.ts';
import { createTunnelOpener } from './tunnel/tunnel-opener.ts';
import { createTunnelRegistry } from './tunnel/tunnel-registry.ts';
import { loadViewerAssets } from './viewer/viewer-assets.ts';
import { createViewerDoor } from './viewer/viewer-door.ts';
import { startWatches } from './watches.ts';

const now = Date.now;
const config = readConfig(process.env);
const { publicUrl } = config;
const log = pino({ level: config.logLevel, base: { part: 'gateway', replica: config.podName } });
const BAD_KEYS_PER_MINUTE = 20;
const SETTLE_EVERY_MS = 60_000;

// What everything stands on.
const [linkKey, models, assets] = await Promise.all([
  readLinkKey(config.tokenKeyDir),
  readModels(config.modelsFile),
  loadViewerAssets(),
]);
const signer = await startTokenSigner({
  issuer: 'gateway',
  installation: config.installation,
  keyDir: config.tokenKeyDir,
  releasedFile: join(config.tokenKeysDir, 'signing.json'),
  now,
  log,
});
const secret = createGatewaySecret(linkKey);
const connection = await connect({ now });
const client = createClient({ connection, userAgent: 'podwright-gateway' });
const watches = startWatches({ client, namespace: config.namespace, log, now });
const { findPool, tenantOf } = watches;
// Commands fail within seconds when Redis is gone, and a request says so; the connection comes back by itself.
const redis = new Redis(config.redisUrl, {
  maxRetriesPerRequest: 1,
  commandTimeout: 3_000,
  enableAutoPipelining: true,
});
const subscriber = new Redis(config.redisUrl, { maxRetriesPerRequest: null });
for (const one of [redis, subscriber]) one.on('error', (error: Error) => log.warn({ error: error.message }, 'redis'));
const podDispatcher = new Agent({ connect: { timeout: 3_000 }, keepAliveTimeout: 30_000 });
const keeperDispatcher = new Agent({ connect: { timeout: 3_000 }, bodyTimeout: 300_000 });

// Records.
const conversations = createConversations({ redis, now });
const attempts = createAttempts({ redis, now });
const waitingLine = createWaitingLine(redis);
const ledger = createCostLedger({ redis });
const links = createLinks({ redis, secret });
const tickets = createTickets({ redis, now });
const queue = createRunQueue({ redisUrl: config.redisUrl, log });

// Sessions.
const cache = createSessionCache({ reflector: watches.sessions, client });
const profileCache = createProfileCache({ reflector: watches.profiles, client });
const creator = createBrowserCreator({ client, cache });
const stopper = createSessionStopper({ client, cache, now });
const wishes = createBrowserWishReader({ profiles: profileCache, findPool });
const rate = createCreateRate({ redis, now });
const keeper = createKeeperClient({
  keeperUrl: config.keeperUrl,
  publicUrl,
  tokenPath: INTERNAL_TOKEN_PATH,
  dispatcher: keeperDispatcher,
});
const pods = createPodClient({ signer, dispatcher: podDispatcher });
const tunnels = createTunnelRegistry();

// Runs on their way to an agent, and the one replica that settles.
const dispatcher = startDispatcher({
  tenants: watches.tenants,
  conversations,
  waitingLine,
  queue,
  markQueued: createMarkQueued({ redis, now }),
  cache,
  onLost: (uid) => work.touch(uid),
  log,
});
const onWaiting = (): void => dispatcher.kick();
const planRun = createPlanRun({ models, ledger, now });
const tasks = createManifestTasks({ conversations, attempts, waitingLine, planRun, onWaiting, now });
const work = createLeaderWork({
  cache,
  settlerFor: (hold) =>
    createSettler({
      client,
      cache,
      redis,
      conversations,
      attempts,
      waitingLine,
      queue,
      tasks,
      ledger,
      links,
      stopper,
      findPool,
      findTenant: tenantOf,
      assertHeld: () => hold.assertHeld(),
      log,
      now,
    }),
  evictorFor: (hold) =>
    createEvictor({
      client,
      cache,
      pods,
      conversations,
      stopper,
      findPool,
      assertHeld: () => hold.assertHeld(),
      log,
      now,
    }),
  atWork: async () => {
    const lines = await Promise.all(watches.tenants().map(({ metadata }) => waitingLine.running(metadata.name)));
    const runs = await Promise.all(lines.flat().map((runId) => conversations.findRun(runId)));
    return runs.flatMap((run) => (run ? [run.request.sessionUid] : []));
  },
  everyMs: SETTLE_EVERY_MS,
  log,
  now,
});
queue.onChange((runId) => {
  dispatcher.kick();
  conversations
    .findRun(runId)
    .then((run) => run && work.touch(run.request.sessionUid))
    .catch((error: unknown) => log.warn({ err: error, run: runId }, 'a run could not be looked up'));
});
const leader = startLeader({
  client,
  namespace: config.namespace,
  name: `${config.prefix}-gateway`,
  identity: `${config.podName}-${crypto.randomUUID().slice(0, 8)}`,
  begin: work.begin,
  log,
  now,
});

const metrics = createMetrics({
  tunnels: tunnels.count,
  watches: watches.health,
  costs: async () => {
    if (!leader.isLeader()) return null;
    const names = watches.tenants().map(({ metadata }) => metadata.name);
    return new Map(await Promise.all(names.map(async (name) => [name, await ledger.totals(name)] as const)));
  },
});

// A session that ends takes its tunnels along, whoever ended it; one that becomes ready may have a run waiting.
cache.onChange((session, removed) => {
  if (removed || !isOpen(session)) tunnels.closeSession(session.metadata.uid, closeReasonOf(session));
  else dispatcher.kick();
});
subscriber.on('message', (_channel, text: string) => {
  for (const hash of JSON.parse(text) as string[]) tunnels.closeLink(hash, CLOSE.unauthorized);
});
subscriber.subscribe(REVOKED_CHANNEL).catch((error: unknown) => log.warn({ err: error }, 'redis'));

// What callers see.
const reader = createConversationReader({ conversations, cache, links, keeper, findPool, publicUrl, now });
const runs = createRunFactory({ planRun, now });
const conversationParts = { conversations, creator, wishes, runs, waitingLine, onWaiting, now };
const browsers = createBrowserService({ creator, stopper, wishes, cache, links, findPool, publicUrl, now });
const throttle = createBadKeyThrottle({ limit: BAD_KEYS_PER_MINUTE, now });
const auth = createAuthDoor({
  keys: createKeyStore({ namespace: config.namespace, secrets: watches.keySecrets }),
  findTenant: watches.findTenant,
  throttle: {
    refused(address) {
      metrics.badKey();
      return throttle.refused(address);
    },
  },
  now,
});
const viewers = createViewerDoor({ links, tickets, secret, cache, hosts: config.viewerHosts, now });

let lastRequestAt = 0;
const drain = createDrain({
  graceMs: config.drainMs,
  lastRequestAt: () => lastRequestAt,
  now,
  tunnels,
  close: [
    () => app.close(),
    () => dispatcher.stop(),
    () => leader.stop(),
    () => queue.close(),
    () => watches.stop(),
    async () => redis.disconnect(),
    async () => subscriber.disconnect(),
    () => internal.close(),
    () => connection.close(),
  ],
  log,
});
const serverOptions = {
  log,
  trustProxy: config.trustProxy,
  isDraining: drain.isDraining,
  onAnswered(fact: Parameters<typeof metrics.answered>[0]) {
    if (!QUIET_ROUTES.has(fact.route)) lastRequestAt = now();
    metrics.answered(fact);
  },
};
let isSynced = false;
const health = {
  notAlive: () => null,
  notReady: () => (drain.isDraining() ? 'draining' : isSynced ? null : 'the first lists are on their way'),
};

const app = createHttpServer(serverOptions);
await registerPublic(app, {
  health,
  api: {
    auth,
    sessions: {
      conversations,
      reader,
      rate,
      keeper,
      repeats: createRepeatGuard({ redis }),
      starter: createConversationStarter(conversationParts),
      followUp: createFollowUp({ ...conversationParts, reader }),
      stopper: createConversationStopper({ conversations, attempts, reader, stopper, links, waitingLine, now }),
    },
    browsers: { browsers, downloads: createDownloads({ keeper, pods }), links, rate },
    profiles: { profiles: createProfileService({ client, profiles: profileCache }) },
    billing: { ledger, cache, now },
    tickets: { browsers, reader, tickets, publicUrl },
    publicUrl,
  },
  cdp: { links, cache, pods, publicUrl, trustProxy: config.trustProxy },
  viewer: {
    door: viewers,
    assets,
    cache,
    conversations,
    pods,
    publicUrl,
    findTenant: tenantOf,
    frameAncestors: config.frameAncestors,
  },
  files: { keeper },
  upgrades: {
    opener: createTunnelOpener({ cache, signer, tunnels, onBytes: metrics.tunnelBytes }),
    isDraining: drain.isDraining,
    log,
  },
});

const internal = createHttpServer(serverOptions);
registerInternal(internal, {
  ...health,
  door: createPartDoor({ client, namespace: config.namespace, prefix: config.prefix, now }),
  tokens: createPodTokens({ attempts, cache, signer }),
  registry: metrics.registry,
});

const leave = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    leave.abort(new Error(signal));
    void drain.run().then(() => process.exit(0));
  });
}
await internal.listen({ host: '::', port: config.internalPort });
await app.listen({ host: '::', port: config.port });
try {
  await watches.synced(leave.signal);
  isSynced = true;
  log.info({ port: config.port, internalPort: config.internalPort, publicUrl }, 'ready');
} catch (error) {
  // Asked to leave before everything was there: the drain ends the process.
  if (!leave.signal.aborted) throw error;
}
