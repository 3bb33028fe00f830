/**
 * `make test-watch`: every case on our reflector and, as a baseline, on client-node's informer. What the baseline does
 * not do fails nothing. Arguments are parts of names of the cases to run; BASELINE=0 leaves the baseline out.
 */
import { createClient } from '@podwright/kube/client';
import { RESOURCE } from '@podwright/kube/resource';
import { startControlPlane } from '../harness/control-plane.ts';
import { WIDGET_DEFINITION } from './access.ts';
import type { Case } from './case.ts';
import { CASES } from './cases/all.ts';
import { informerSubject } from './informer-subject.ts';
import { reflectorSubject } from './reflector-subject.ts';
import { type Outcome, runCase, seconds } from './run-case.ts';
import type { Subject } from './subject.ts';

const parts = process.argv.slice(2);
const cases = CASES.filter(({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)));
if (cases.length === 0) throw new Error(`no case has one of these in its name: ${parts.join(', ')}`);
const subjects = process.env['BASELINE'] === '0' ? [reflectorSubject] : [reflectorSubject, informerSubject];

/** What would have ended a process that has no such handler. */
const unhandled: string[] = [];
process.on('unhandledRejection', (reason) => unhandled.push(reason instanceof Error ? reason.message : String(reason)));
process.on('uncaughtException', (error) => unhandled.push(error.message));

const stopping = new AbortController();
process.once('SIGINT', () => stopping.abort(new Error('interrupted')));
process.once('SIGTERM', () => stopping.abort(new Error('interrupted')));

const startedAt = performance.now();
const plane = await startControlPlane({ controllerManager: true, signal: stopping.signal });
const rows: { name: string; outcomes: Outcome[] }[] = [];
try {
  const admin = createClient({ connection: plane.connection, userAgent: 'podwright-test-admin' });
  await admin.create(RESOURCE.customResourceDefinitions, WIDGET_DEFINITION);
  console.log(`control plane up after ${seconds(performance.now() - startedAt)}; ${cases.length} cases`);
  for (const [index, one] of cases.entries()) {
    const outcomes: Outcome[] = [];
    for (const subject of subjects) {
      const began = performance.now();
      stopping.signal.throwIfAborted();
      outcomes.push(await judged(one, subject));
      const { problems } = outcomes.at(-1)!;
      console.log(
        `${index + 1}/${cases.length} ${one.name}, ${subject.name}: ${problems.length === 0 ? 'true' : problems.join('; ')} (${seconds(performance.now() - began)})`,
      );
    }
    rows.push({ name: one.name, outcomes });
  }
} finally {
  await plane.stop();
}
report();

async function judged(one: Case, subject: Subject): Promise<Outcome> {
  unhandled.length = 0;
  const outcome = await runCase({ case: one, subject, plane });
  for (const message of new Set(unhandled))
    outcome.problems.push(`it would have ended the process: ${message.slice(0, 120)}`);
  return outcome;
}

function report(): void {
  const cell = (outcome: Outcome | undefined): string => {
    if (!outcome) return '';
    const figure = outcome.tookMs === undefined ? '' : `, ${seconds(outcome.tookMs)}`;
    return outcome.problems.length === 0 ? `true${figure}` : `FAILED: ${outcome.problems[0]!.slice(0, 70)}`;
  };
  const widest = Math.max(...rows.map(({ name }) => name.length));
  const line = (...cells: string[]): void =>
    console.log(cells.map((text, at) => text.padEnd([widest, 14][at] ?? 0)).join('  '));
  console.log('\nThe cache is true again, and the story was told well, when …\n');
  line('', ...subjects.map(({ name }) => name));
  for (const { name, outcomes } of rows) line(name, ...outcomes.map(cell));
  const good = (at: number): number => rows.filter(({ outcomes }) => outcomes[at]?.problems.length === 0).length;
  const figures = subjects.map(({ name }, at) => `${name} ${good(at)} of ${rows.length}`).join(', ');
  console.log(`\n${Math.round((performance.now() - startedAt) / 1000)} s`);
  const passed = rows.length === cases.length && good(0) === rows.length;
  console.log(`test-watch: ${passed ? 'passed' : 'FAILED'}; ${figures}`);
  process.exitCode = passed ? 0 : 1;
}
