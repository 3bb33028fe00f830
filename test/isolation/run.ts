/**
 * `make test-isolation`: every suite of this folder on the running installation, then a table by suite and, for the
 * corpus, by actor. `make test` runs the same files with ISOLATION=short, without the rotation of keys.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { installation } from '../harness/installation.ts';
import { forgetNames } from './world/world.ts';

const root = resolve(import.meta.dirname, '../..');
const artifacts = join(root, '.artifacts', 'isolation');
const report = join(artifacts, 'report.json');

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numTotalTests: number;
  success: boolean;
  testResults: { name: string; startTime: number; endTime: number; assertionResults: { status: string }[] }[];
}
interface CorpusRow {
  actor: string;
  cases: number;
  hits: number;
  problems: number;
  packets: number;
}

installation();
rmSync(artifacts, { recursive: true, force: true });
mkdirSync(artifacts, { recursive: true });
const args = [
  'vitest',
  'run',
  '--config',
  'vitest.cluster.config.ts',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
  'test/isolation',
];
const child = spawn('npx', args, { cwd: root, stdio: 'inherit' });
await new Promise((done) => child.on('close', done));
await forgetNames();

const line = (...cells: (string | number)[]): string =>
  cells.map((cell, index) => (index === 0 ? String(cell).padEnd(22) : String(cell).padStart(10))).join('');
let passed = false;
try {
  const { testResults, ...totals } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  console.log(`\n${line('suite', 'tests', 'failed', 'seconds')}`);
  for (const { name, assertionResults, startTime, endTime } of testResults) {
    const failed = assertionResults.filter(({ status }) => status !== 'passed').length;
    const suite = name.split('/').at(-1)!.replace('.test.ts', '');
    console.log(line(suite, assertionResults.length, failed, Math.round((endTime - startTime) / 1000)));
  }
  const corpus = JSON.parse(readFileSync(join(artifacts, 'corpus.json'), 'utf8')) as CorpusRow[];
  console.log(`\n${line('corpus, by actor', 'cases', 'hits', 'problems', 'packets')}`);
  for (const { actor, cases, hits, problems, packets } of corpus)
    console.log(line(actor, cases, hits, problems, packets));
  passed =
    totals.success &&
    totals.numFailedTests === 0 &&
    totals.numPassedTests === totals.numTotalTests &&
    totals.numTotalTests > 0;
  console.log(
    `\nisolation: ${totals.numPassedTests} of ${totals.numTotalTests} tests passed; ${passed ? 'nothing got out' : 'NOT isolated'}`,
  );
} catch (error) {
  console.error(`isolation: no report (${String(error)})`);
}
process.exitCode = passed ? 0 : 1;
