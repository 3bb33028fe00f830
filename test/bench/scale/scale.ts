/**
 * `make bench-scale`: the operator with 1,050 warm pods and 75 claims a second, then with 10,000 sessions at rest and a
 * churn of 20 a second, on nodes of kwok. Prints a table of the figures beside what a plain write costs in the same run,
 * and exits with 1 when an aim is missed.
 * NODES, TENANTS, WARM, RATE, BURST_SECONDS, REST, CHURN, CHURN_SECONDS make it smaller; then the aims are of that size.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { RESOURCE } from '@podwright/kube/resource';
import { percentiles } from '../percentiles.ts';
import { auditPosition, operatorWrites } from './audit.ts';
import { startBaseline } from './baseline.ts';
import { makeTenants, startCluster } from './cluster.ts';
import { startLoad } from './load.ts';
import { type ProcessFacts, readProcess } from './operator-metrics.ts';

const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);
const size = {
  nodes: number('NODES', 100),
  tenants: number('TENANTS', 10),
  warm: number('WARM', 1_050),
  rate: number('RATE', 75),
  seconds: number('BURST_SECONDS', 10),
  rest: number('REST', 10_000),
  churn: number('CHURN', 20),
  churnSeconds: number('CHURN_SECONDS', 30),
};
const aim = { p50: 50, p99: 250, writesPerClaim: 5, residentMiB: 400 };

const OLD_SPACE_MIB = 256;

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort(new Error(signal)));

const misses: string[] = [];
const rows: string[][] = [];
const tell = (what: string, value: string, beside = ''): void => {
  rows.push([what, value, beside]);
  console.log(`${what}: ${value}${beside === '' ? '' : ` (${beside})`}`);
};
const milliseconds = (samples: number[]): string => {
  const { p50, p90, p99, n } = percentiles(samples);
  return `p50 ${p50.toFixed(1)}, p90 ${p90.toFixed(1)}, p99 ${p99.toFixed(1)} (n=${n})`;
};
const hold = (what: string, value: number, limit: number): void => {
  if (!(value <= limit)) misses.push(`${what} is ${value.toFixed(1)} and not ${limit} at most`);
};
const processRow = (facts: ProcessFacts, cpuShare: number): string =>
  `${facts.residentMiB.toFixed(0)} MiB RSS, ${facts.heapMiB.toFixed(0)} MiB heap, ${cpuShare.toFixed(0)} % of a core, ` +
  `event loop lag p50 ${facts.lagP50Ms.toFixed(1)} p99 ${facts.lagP99Ms.toFixed(1)} ms`;

async function untilTrue(what: string, probe: () => Promise<boolean> | boolean, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await probe())) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs / 1000} s: ${what}`);
    stopping.signal.throwIfAborted();
    await sleep(250);
  }
}

const cluster = await startCluster({ nodes: size.nodes, signal: stopping.signal });
try {
  const { client, controlPlane } = cluster;
  const profile =
    process.env['CPU_PROFILE'] === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${process.env['CPU_PROFILE']}`];
  // What the container's memory limit in the chart makes of the heap: without one it grows as far as the machine is large.
  const operator = await cluster.startOperator([`--max-old-space-size=${OLD_SPACE_MIB}`, ...profile]);
  await operator.leading;
  const namespaces = await makeTenants(client, size.tenants, size.warm);
  const load = await startLoad({ client, namespaces });
  const baseline = startBaseline({ client, namespace: 'default', everyMs: 50 });

  const warmPods = async (): Promise<number> => {
    const { items } = await client.list(RESOURCE.browserPools);
    return items.reduce((sum, { status }) => sum + (status?.warm ?? 0), 0);
  };
  const fillStarted = performance.now();
  await untilTrue(`${size.warm} warm pods`, async () => (await warmPods()) >= size.warm, 300_000);
  tell(
    'warm pods',
    `${size.warm} in ${((performance.now() - fillStarted) / 1000).toFixed(1)} s`,
    `${size.nodes} nodes`,
  );
  baseline.take();
  await sleep(3_000);
  tell('plain write, quiet (ms)', milliseconds(baseline.take()), 'baseline');

  /** Runs `work` and tells latencies of the operator's writes, its process and what a plain write cost meanwhile. */
  async function measure(
    name: string,
    work: () => Promise<{ milliseconds: number[]; failed: string[]; warm: number }>,
  ) {
    const before = await readProcess(operator.metricsUrl);
    const from = await auditPosition(controlPlane.auditLogPath);
    const startedAt = performance.now();
    const result = await work();
    const seconds = (performance.now() - startedAt) / 1000;
    // Events go out after the fact.
    await sleep(1_000);
    const writes = await operatorWrites(
      controlPlane.auditLogPath,
      from,
      await auditPosition(controlPlane.auditLogPath),
    );
    const after = await readProcess(operator.metricsUrl);
    tell(`${name}: create to Ready (ms)`, milliseconds(result.milliseconds), `${result.warm} warm`);
    tell(`${name}: plain write meanwhile (ms)`, milliseconds(baseline.take()), 'baseline');
    const kinds = [...writes.byKind].toSorted((a, b) => b[1] - a[1]).map(([kind, count]) => `${kind} ${count}`);
    tell(`${name}: operator's writes`, `${writes.total}, ${writes.conflicts} conflicts`, kinds.join(', '));
    tell(`${name}: operator`, processRow(after, (100 * (after.cpuSeconds - before.cpuSeconds)) / seconds));
    if (result.failed.length > 0) misses.push(`${name}: ${result.failed.length} not Ready, as ${result.failed[0]}`);
    return { ...result, writes, after };
  }

  const claims = size.rate * size.seconds;
  const burst = await measure(`${size.rate} claims/s for ${size.seconds} s`, () => load.create(claims, size.rate));
  const perClaim = burst.writes.forSessions / claims;
  tell('writes per claim', perClaim.toFixed(2), `budget ${aim.writesPerClaim}`);
  const { p50, p99 } = percentiles(burst.milliseconds);
  hold('p50 of a claim (ms)', p50, aim.p50);
  hold('p99 of a claim (ms)', p99, aim.p99);
  hold('writes per claim', perClaim, aim.writesPerClaim);
  hold('conflicts in the steady case', burst.writes.conflicts, 0);

  const left = size.rest - claims;
  if (left > 0) {
    await measure(`filling to ${size.rest}`, () => load.create(left, size.rate));
    await sleep(5_000);
  }
  const resting = await readProcess(operator.metricsUrl);
  await sleep(10_000);
  const rested = await readProcess(operator.metricsUrl);
  tell(
    `${size.rest} sessions at rest`,
    processRow(rested, 10 * (rested.cpuSeconds - resting.cpuSeconds)),
    `${load.ready} Ready`,
  );

  const churned = size.churn * size.churnSeconds;
  const churn = await measure(`churn of ${size.churn}/s`, async () => {
    const [created] = await Promise.all([load.create(churned, size.churn), load.remove(churned, size.churn)]);
    return created;
  });
  hold('p50 in the churn (ms)', percentiles(churn.milliseconds).p50, aim.p50);
  hold('p99 in the churn (ms)', percentiles(churn.milliseconds).p99, aim.p99);
  hold('conflicts in the churn', churn.writes.conflicts, 0);
  hold('memory of the operator (MiB)', Math.max(rested.residentMiB, churn.after.residentMiB), aim.residentMiB);

  const listStarted = performance.now();
  const listed = await Promise.all([client.list(RESOURCE.browserSessions), client.list(RESOURCE.pods)]);
  const plainList = performance.now() - listStarted;
  const relistStarted = performance.now();
  const next = await cluster.startOperator();
  await untilTrue(
    'the second operator has its caches',
    () => next.log.some((line) => line.includes('caches are filled')),
    60_000,
  );
  const relist = performance.now() - relistStarted;
  const objects = listed.reduce((sum, { items }) => sum + items.length, 0);
  tell(
    'start of a process to filled caches (ms)',
    relist.toFixed(0),
    `a plain list of the ${objects} objects: ${plainList.toFixed(0)}`,
  );
  if (cluster.doors.conflicts > 0) misses.push(`${cluster.doors.conflicts} pods were bound by two sessions`);
  tell('pods bound by two sessions', String(cluster.doors.conflicts));
  await baseline.stop();
  await load.stop();
  operator.signal('SIGTERM');
  await operator.exited;
} finally {
  await cluster.stop();
}

console.log('\n| figure | value | beside it |\n| --- | --- | --- |');
for (const row of rows) console.log(`| ${row.join(' | ')} |`);
console.log();
for (const miss of misses) console.log(`MISSED: ${miss}`);
console.log(misses.length === 0 ? 'bench-scale: every aim is met' : `bench-scale: ${misses.length} aims are missed`);
process.exitCode = misses.length === 0 ? 0 : 1;
