/** `make status`: a few lines on what runs and what is wrong. Exits with 1 when something is. */
import { type Phase, TERMINAL_PHASES } from '@podwright/api/kinds/session';
import { DEMO, NAMESPACE, RELEASE, findPlace, gatewayUrl } from './place.ts';
import { CommandError, kubectlJson, run } from './run.ts';
import { podTroubles, workloadStates } from './workloads.ts';

const problems: string[] = [];
const place = await findPlace();

const cluster = await run('kind/cluster.sh', ['status', place.cluster]).catch((error: unknown) => {
  console.log(error instanceof CommandError ? error.printed : String(error));
  console.log('status: the cluster is not there or not well; make up brings it up');
  process.exit(1);
});
console.log(cluster.trim().split('\n')[0]);

const releases = JSON.parse(await run('helm', ['list', '-n', NAMESPACE, '--all', '-o', 'json'])) as {
  name: string;
  status: string;
  chart: string;
  updated: string;
}[];
const release = releases.find(({ name }) => name === RELEASE);
console.log(`release: ${release ? `${release.chart}, ${release.status}` : 'none'}`);
if (release?.status !== 'deployed') problems.push('the chart is not installed completely: run make up');

const states = await workloadStates();
console.log(
  `parts: ${states.map(({ name, ready, wanted }) => `${name.replace(/^podwright-/, '')} ${ready}/${wanted}`).join(', ')}`,
);
for (const { name, ready, wanted } of states) {
  if (ready < wanted) problems.push(`${name}: ${ready} of ${wanted} pods are ready`);
}
for (const { pod, what } of await podTroubles()) problems.push(`pod ${pod}: ${what}`);

if (release) {
  await sessions();
  await pools();
  await gateway();
}
for (const problem of problems) console.log(`WRONG: ${problem}`);
console.log(problems.length === 0 ? 'status: all is well' : `status: ${problems.length} things are wrong`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function sessions(): Promise<void> {
  const { items } = await kubectlJson<{ items: { status?: { phase?: Phase } }[] }>('get', 'bs', '-A');
  const phases = Map.groupBy(items, ({ status }) => status?.phase ?? 'new');
  const wordsFor = (over: boolean): string =>
    [...phases]
      .filter(([phase]) => (phase !== 'new' && TERMINAL_PHASES.has(phase)) === over)
      .map(([phase, of]) => `${of.length} ${phase}`)
      .join(', ');
  // What has ended is history, kept until its ttl: a Failed one among it is nothing that is wrong now.
  const ended = wordsFor(true);
  console.log(`sessions: ${wordsFor(false) || 'none'}${ended && `; kept as history: ${ended}`}`);
}

async function pools(): Promise<void> {
  interface Pool {
    metadata: { name: string; namespace: string };
    status?: {
      warm?: number;
      target?: number;
      claimed?: number;
      conditions?: { type: string; status: string; message: string }[];
    };
  }
  const { items } = await kubectlJson<{ items: Pool[] }>('get', 'bpool', '-A');
  for (const { metadata, status = {} } of items) {
    const name = `${metadata.namespace}/${metadata.name}`;
    console.log(`pool ${name}: ${status.warm ?? 0} of ${status.target ?? 0} warm, ${status.claimed ?? 0} in use`);
    const degraded = status.conditions?.find(({ type, status: is }) => type === 'Degraded' && is === 'True');
    // A namespace on its way out takes no pods; that is no trouble of its pool.
    if (degraded && !degraded.message.includes('being terminated')) problems.push(`pool ${name}: ${degraded.message}`);
  }
}

async function gateway(): Promise<void> {
  const url = await gatewayUrl(place);
  const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5000) }).catch((error: unknown) => error);
  const well = answer instanceof Response && answer.ok;
  console.log(`gateway: ${url} ${well ? 'answers' : 'does not answer'}, tenant ${DEMO.tenant}`);
  if (!well) problems.push(`the gateway does not answer at ${url}/readyz`);
}
