import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { CLOSE } from '@podwright/api/pod-door';
import { createVerifier } from '@podwright/api/tokens';
import { createBrowser } from './browser/browser.ts';
import { createChromiumHttp } from './browser/chromium-http.ts';
import { type Isolation, checkIsolation } from './browser/isolation.ts';
import { createLauncherClient } from './browser/launcher-client.ts';
import { createAttachments } from './cdp/attachments.ts';
import { readConfig } from './config.ts';
import { createGate } from './door/authorize.ts';
import { createCdpDoor } from './door/cdp-door.ts';
import { createDoor } from './door/door.ts';
import { createHandlers } from './door/handlers.ts';
import { rehearse } from './door/rehearsal.ts';
import { createVncDoor } from './door/vnc-door.ts';
import { createDialer } from './egress/dial.ts';
import { createEgressProxy } from './egress/proxy.ts';
import { createConfinedFolder } from './files/confined.ts';
import { createProfile } from './profile/profile.ts';
import { createActivity } from './session/activity.ts';
import { createBinding } from './session/binding.ts';
import { createCounters } from './session/counters.ts';
import { createEnding } from './session/ending.ts';
import { createLatch } from './session/latch.ts';
import { createSizeControl } from './session/size-control.ts';
import { createStatus } from './session/status.ts';

/** Chromium answers its discovery from memory; longer than this it hangs. */
const DISCOVERY_MS = 3000;
const MAX_FILE_BYTES = 512 * 1024 * 1024;

const config = readConfig(process.env);
const log = pino({ level: config.logLevel, base: { pod: config.podUid } });
const now = Date.now;
const pause = async (ms: number): Promise<void> => delay(ms);
const life = new AbortController();

const latch = createLatch();
const counters = createCounters();
const activity = createActivity({ now });
const launcher = createLauncherClient({ socketPath: config.launcherSocket });
const chromium = createChromiumHttp({ port: config.chromiumPort, timeoutMs: DISCOVERY_MS });
const { chromiumPort, defaults, floor } = config;
const browser = createBrowser({ chromium, chromiumPort, launcher, defaults, pause, log });
const profile = createProfile({ browser, now, log });
const attachments = createAttachments({ replaced: CLOSE.replaced });

const binding = createBinding({
  latch,
  browser,
  floor,
  defaults,
  log,
  conflict() {
    counters.add('bind_conflict');
    log.error('a second session claims this pod; it serves neither');
    // The answer goes out first.
    setTimeout(() => void ending.now('a second session claimed the pod'), 100);
  },
});

const dialer = createDialer({ rules: binding.egressRules, upstream: binding.upstreamProxy });
const egress = createEgressProxy({
  dialer,
  upstream: binding.upstreamProxy,
  refused: () => counters.add('egress_refused'),
});

const vnc = createVncDoor({
  vncSocketPath: config.vncSocket,
  interactive: () => binding.interactive,
  activity,
  now,
  log,
});
const cdp = createCdpDoor({ chromium, chromiumPort, browser, attachments, activity, counters, now, log });

const ending = createEnding({
  latch,
  profile,
  log,
  closeDoors() {
    const reason = latch.sessionUid === undefined ? CLOSE.goingAway : CLOSE.ended;
    attachments.closeAll(reason);
    vnc.closeAll(reason);
  },
  stopBrowser: launcher.stop,
  exit() {
    life.abort();
    door.close();
    egress.close();
    // Close frames and the last answer get their moment; nothing else is waited for.
    setTimeout(() => process.exit(0), 250);
  },
});

let isolation: Isolation = { checked: false, reached: [] };
const status = createStatus({
  podUid: config.podUid,
  latch,
  browser,
  isolation: () => isolation,
  activity,
  attachments,
  viewers: vnc.count,
  egressBytes: dialer.bytes,
  profile,
  counters,
});

const folder = (name: 'downloads' | 'uploads') => {
  const root = join(config.filesDir, name);
  // Chromium runs as another user of the same group; the mode given to mkdir is cut by the umask.
  if (mkdirSync(root, { recursive: true }) !== undefined) chmodSync(root, 0o2770);
  return createConfinedFolder({ root, maxFileBytes: MAX_FILE_BYTES });
};
const door = createDoor({
  gate: createGate({
    verifier: await createVerifier({
      installation: config.installation,
      podUid: config.podUid,
      keys: config.keys,
      now,
    }),
    latch,
    podUid: config.podUid,
    counters,
    now,
  }),
  handlers: createHandlers({
    binding,
    status,
    activity,
    size: createSizeControl({ owner: browser.viewport, now }),
    chromium,
    profile,
    downloads: folder('downloads'),
    uploads: folder('uploads'),
    ending,
  }),
  cdp,
  vnc,
  ending: () => ending.begun,
  notReadyBecause: browser.notReadyBecause,
  log,
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void ending.begin());

// The way out is open before Chromium looks for it.
const egressAt = await egress.listen({ host: '127.0.0.1', port: config.egressPort });
const doorAt = await door.listen(config.doorPort);
log.info({ door: doorAt.port, egress: egressAt.port }, 'listening');

// Chromium is starting now.
await rehearse({ podUid: config.podUid, status, now });

void checkIsolation({
  canaries: defaults.canaries,
  launcher,
  pause,
  signal: life.signal,
  report(found) {
    isolation = found;
    if (found.checked && found.reached.length > 0) log.error({ reached: found.reached }, 'the browser is not isolated');
  },
});
await browser.watch(life.signal);
