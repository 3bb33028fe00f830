/**
 * `make test`: every test, on real parts, fast to slow, with one line of figures at the end.
 * Stages that are not vitest count as one test each. `node scripts/test.ts unit cluster` runs only those stages.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const artifacts = join(root, '.artifacts', 'test');
/** Never the user's own: it is removed at the end. */
const cluster = process.env['TEST_CLUSTER'] ?? 'podwright-test';

interface Stage {
  name: string;
  /** Command and arguments. */
  command: string[];
  /** A vitest run, whose report has the figures. */
  vitest?: true;
  /** Needs the test installation, on a cluster with this many nodes; it is brought up before the first such stage. */
  nodes?: number;
  environment?: NodeJS.ProcessEnv;
}

const vitest = (name: string, config: string, ...args: string[]): Stage => ({
  name,
  command: [
    'npx',
    'vitest',
    'run',
    '--config',
    config,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${join(artifacts, `${name}.json`)}`,
    ...args,
  ],
  vitest: true,
});

const stages: Stage[] = [
  { name: 'verify', command: ['make', '--no-print-directory', 'verify'] },
  { name: 'launcher', command: ['go', 'test', '-C', 'browser-image/launcher', './...'] },
  vitest('unit', 'vitest.config.ts'),
  vitest('operator', 'vitest.cluster.config.ts', 'test/operator'),
  // On etcd and an API server alone. What a second try would hide here is what these are for.
  vitest('watch', 'vitest.cluster.config.ts', '--retry=0', 'test/watch', 'test/leader'),
  { name: 'crash', command: ['node', 'test/crash/crash.ts', '--short'] },
  { ...vitest('cluster', 'vitest.cluster.config.ts', 'test/cluster'), nodes: 1 },
  { ...vitest('conformance', 'vitest.cluster.config.ts', 'test/conformance'), nodes: 1 },
  { ...vitest('profiles', 'vitest.cluster.config.ts', 'test/profiles'), nodes: 1 },
  { ...vitest('viewer', 'vitest.cluster.config.ts', 'test/viewer'), nodes: 1 },
  // make test-isolation has the suites that take longer, and every spelling of every address.
  {
    ...vitest(
      'isolation',
      'vitest.cluster.config.ts',
      'test/isolation/tenants.test.ts',
      'test/isolation/offers.test.ts',
    ),
    nodes: 1,
    environment: { ISOLATION: 'short' },
  },
  // Last, and on a cluster of its own: a node that was stopped is not what the others should be tested on.
  { ...vitest('node-loss', 'vitest.cluster.config.ts', 'test/node-loss'), nodes: 3 },
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !stages.some((stage) => stage.name === name));
if (unknown.length > 0) {
  console.error(`no such stage: ${unknown.join(', ')}; there are ${stages.map((stage) => stage.name).join(', ')}`);
  process.exit(2);
}

rmSync(artifacts, { recursive: true, force: true });
mkdirSync(artifacts, { recursive: true });
const started = Date.now();
let passed = 0;
let failed = 0;
let place: { nodes: number; environment: NodeJS.ProcessEnv } | undefined;

for (const stage of stages.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  if (stage.nodes !== undefined && place?.nodes !== stage.nodes) {
    if (place) await takeDown();
    place = { nodes: stage.nodes, environment: await bringUp(stage.nodes) };
  }
  if (stage.nodes !== undefined && Object.keys(place?.environment ?? {}).length === 0) {
    console.error(`${stage.name}: not run, because the installation did not come up`);
    failed += 1;
    continue;
  }
  heading(stage.name);
  const installed = stage.nodes === undefined ? {} : place?.environment;
  const code = await run(stage.command, { ...installed, ...stage.environment });
  count(stage, code);
}
if (place && process.env['KEEP_CLUSTER'] === undefined) await takeDown();
console.log(`\n${Math.round((Date.now() - started) / 1000)} s`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

/** Brings up the test installation and returns the variables that `make env` prints; empty when it did not come up. */
async function bringUp(nodes: number): Promise<NodeJS.ProcessEnv> {
  heading(`installation in cluster ${cluster}, ${nodes} node(s)`);
  const code = await run(['make', '--no-print-directory', 'up', `CLUSTER=${cluster}`, `NODES=${nodes}`]);
  count({ name: 'up', command: [] }, code);
  if (code !== 0) return {};
  const exports = await output(['make', '--no-print-directory', '-s', 'env', `CLUSTER=${cluster}`]);
  const variables = [...exports.matchAll(/^export ([A-Z_]+)=['"]?(.*?)['"]?$/gm)].map(([, name, value]) => [
    name,
    value,
  ]);
  return Object.fromEntries(variables) as NodeJS.ProcessEnv;
}

async function takeDown(): Promise<void> {
  heading(`removing cluster ${cluster}`);
  count({ name: 'down', command: [] }, await run(['make', '--no-print-directory', 'down', `CLUSTER=${cluster}`]));
}

function count(stage: Stage, code: number): void {
  if (!stage.vitest) {
    if (code === 0) passed += 1;
    else failed += 1;
    return;
  }
  try {
    const report = JSON.parse(readFileSync(join(artifacts, `${stage.name}.json`), 'utf8')) as {
      numPassedTests: number;
      numFailedTests: number;
      numPendingTests: number;
      numTotalTests: number;
      success: boolean;
    };
    passed += report.numPassedTests;
    // A suite that failed to load, and a test that was skipped, are failures too.
    const silent = !report.success && report.numFailedTests === 0 ? 1 : 0;
    failed += report.numFailedTests + report.numPendingTests + silent + (report.numTotalTests === 0 ? 1 : 0);
  } catch {
    console.error(`${stage.name}: no report was written (exit ${code})`);
    failed += 1;
  }
}

function heading(text: string): void {
  console.log(`\n==> ${text} (${Math.round((Date.now() - started) / 1000)} s)`);
}

function run(command: string[], variables: NodeJS.ProcessEnv = {}): Promise<number> {
  const child = spawn(command[0]!, command.slice(1), {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...variables },
  });
  return new Promise((done) => {
    child.on('error', (error) => {
      console.error(`${command[0]}: ${error.message}`);
      done(1);
    });
    child.on('close', (code) => done(code ?? 1));
  });
}

function output(command: string[]): Promise<string> {
  const child = spawn(command[0]!, command.slice(1), { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', () => done(text));
  });
}
