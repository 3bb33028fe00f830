/**
 * `make bench-session`: how long a browser takes, through the public API and the gateway, beside a bare pod of the same
 * image made with the Kubernetes API directly in the same run. Prints a table and a verdict; exits with 1 when it falls short.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestTenant, api, createTenant } from '../harness/installation.ts';
import { applyObjects, eventually, kubectl } from '../harness/kubectl.ts';
import { createBarePod, deleteBarePod } from './bare-pod.ts';
import { connectCdp } from '../harness/cdp-client.ts';
import { percentiles, row } from './percentiles.ts';

const rounds = Number(process.env['ROUNDS'] ?? 12);
const coldRounds = Number(process.env['COLD_ROUNDS'] ?? 5);
/** Aims of the project, in milliseconds and as a ratio to the bare pod. */
const aim = { warmToCdp: 100, warmLifecycle: 187, coldRatio: 1.15 };

interface Browser {
  id: string;
  cdpUrl: string;
}

const page = 'http://demo-site.podwright-demo.svc.cluster.local/';

async function create(tenant: TestTenant): Promise<Browser> {
  const created = await api<Browser>(tenant.apiKey, 'POST', '/api/v3/browsers', {});
  if (created.status !== 201) throw new Error(`create answered ${created.status}: ${JSON.stringify(created.body)}`);
  return created.body;
}

async function stop(tenant: TestTenant, browser: Browser): Promise<void> {
  await api(tenant.apiKey, 'PATCH', `/api/v3/browsers/${browser.id}`, { action: 'stop' });
}

/** Milliseconds from create to the first CDP answer. */
async function toFirstAnswer(tenant: TestTenant): Promise<number> {
  const start = performance.now();
  const browser = await create(tenant);
  // The gateway holds a connection for a while; ten cold starts on two cores may take longer, and a client asks again.
  const cdp = await eventually(
    'a CDP connection',
    () => connectCdp(browser.cdpUrl),
    () => true,
    180_000,
  );
  await cdp.send('Browser.getVersion');
  const took = performance.now() - start;
  cdp.close();
  await stop(tenant, browser);
  return took;
}

/** Milliseconds for create, connect, goto and release. */
async function lifecycle(tenant: TestTenant): Promise<number> {
  const start = performance.now();
  const browser = await create(tenant);
  const cdp = await connectCdp(browser.cdpUrl);
  await cdp.goto(page);
  cdp.close();
  await stop(tenant, browser);
  return performance.now() - start;
}

/** What went wrong in a round of ten; a verdict of its own, so that one failure does not hide the other figures. */
const failures: string[] = [];

async function tenAtOnce(measure: () => Promise<number>): Promise<number[]> {
  const results = await Promise.allSettled(Array.from({ length: 10 }, measure));
  for (const result of results) if (result.status === 'rejected') failures.push(String(result.reason).slice(0, 300));
  return results.filter((result) => result.status === 'fulfilled').map(({ value }) => value);
}

async function warmIsFull(tenant: TestTenant, count: number): Promise<void> {
  await eventually(
    `${count} warm pods (kubectl get pods -n ${tenant.namespace} shows what holds them up)`,
    () => kubectl('get', 'browserpool', 'default', '-n', tenant.namespace, '-o', 'jsonpath={.status.warm}'),
    (seen) => Number(seen) >= count,
    300_000,
  );
  // Starting browsers cost both cores of a small machine; a claim is measured on a quiet one.
  await sleep(1_500);
}

async function oneAtATime(
  count: number,
  measure: () => Promise<number>,
  before?: () => Promise<void>,
): Promise<number[]> {
  const samples: number[] = [];
  for (let round = 0; round < count; round += 1) {
    await before?.();
    samples.push(await measure());
    process.stderr.write(`\r${samples.length}/${count} `);
  }
  process.stderr.write('\r');
  return samples;
}

const roomy = { limits: { concurrentSessions: 100, createsPerMinute: 10_000 } };
// What a pod reserves does not matter to its speed; ten and their successors must fit beside a whole cluster on two cores.
const small = { resources: { requests: { cpu: '10m', memory: '128Mi' } } };
const cold = await createTenant('bench-cold', { tenant: roomy, pool: small });
// Outside any tenant: nothing of ours looks at it.
const bareNamespace = `bench-bare-${cold.name.split('-').at(-1)}`;
await applyObjects([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: bareNamespace } }]);
let warm: TestTenant | undefined;
try {
  console.log('| what (ms) | n | p50 | p95 | p99 |');
  console.log('| --- | ---: | ---: | ---: | ---: |');
  const bare = await oneAtATime(coldRounds, async () => {
    const { name, milliseconds } = await createBarePod(bareNamespace);
    await deleteBarePod(bareNamespace, name);
    return milliseconds;
  });
  console.log(row('bare pod, API create to CDP answered (baseline)', bare));
  const coldSamples = await oneAtATime(coldRounds, () => toFirstAnswer(cold));
  console.log(row('cold create to first CDP answer', coldSamples));
  console.log(row('cold create to first CDP answer, ten at once', await tenAtOnce(() => toFirstAnswer(cold))));

  // Only now: warm pods take the processors that a cold start is measured on.
  const tenant = await createTenant('bench-warm', { pool: { ...small, warm: { min: 10, max: 10 } }, tenant: roomy });
  warm = tenant;
  const full = (count: number) => warmIsFull(tenant, count);
  await full(10);
  const warmSamples = await oneAtATime(
    rounds,
    () => toFirstAnswer(tenant),
    () => full(8),
  );
  console.log(row('warm create to first CDP answer', warmSamples));
  const cycles = await oneAtATime(
    rounds,
    () => lifecycle(tenant),
    () => full(8),
  );
  console.log(row('warm create, connect, goto, release', cycles));
  await full(10);
  console.log(row('warm create to first CDP answer, ten at once', await tenAtOnce(() => toFirstAnswer(tenant))));
  await full(10);
  console.log(row('warm lifecycle, ten at once', await tenAtOnce(() => lifecycle(tenant))));

  const ratio = percentiles(coldSamples).p50 / percentiles(bare).p50;
  const verdicts = [
    [`${failures.length} of 30 browsers asked for ten at once did not come (aim 0)`, failures.length === 0],
    [`cold / bare pod p50 = ${ratio.toFixed(2)} (aim <= ${aim.coldRatio})`, ratio <= aim.coldRatio],
    [
      `warm to CDP p50 = ${percentiles(warmSamples).p50.toFixed(0)} ms (aim <= ${aim.warmToCdp})`,
      percentiles(warmSamples).p50 <= aim.warmToCdp,
    ],
    [
      `warm lifecycle p50 = ${percentiles(cycles).p50.toFixed(0)} ms (aim <= ${aim.warmLifecycle})`,
      percentiles(cycles).p50 <= aim.warmLifecycle,
    ],
  ] as const;
  for (const failure of failures) console.log(`failed among ten at once: ${failure}`);
  for (const [text, met] of verdicts) console.log(`${met ? 'met ' : 'MISS'} ${text}`);
  process.exitCode = verdicts.every(([, met]) => met) ? 0 : 1;
} finally {
  await Promise.all([warm?.remove(), cold.remove(), kubectl('delete', 'namespace', bareNamespace, '--timeout=120s')]);
}
