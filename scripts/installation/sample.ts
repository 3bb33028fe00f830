import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserSession } from '@podwright/api/kinds/session';
import { TERMINAL_PHASES } from '@podwright/api/kinds/session';
import { DEMO } from './place.ts';
import { kubectlJson, run } from './run.ts';
import type { Step } from './steps.ts';

const MANIFEST = 'examples/session.yaml';
const PATIENCE_MS = 4 * 60_000;
const ENDED = new Set(['succeeded', 'failed', 'cancelled']);

export interface SampleResult {
  session: string;
  uid: string;
  summary: string;
  /** Path of the API where the answer is. */
  outputRef: string | undefined;
}

/** Applies the sample and tells its story until its task has an answer. A sample that was answered before is left alone. */
export async function runSample(step: Step): Promise<SampleResult> {
  const name = await sampleName();
  const before = await find(name);
  if (before?.status?.run?.state === 'succeeded') step.say(`${name} was answered by an earlier run; it is left alone`);
  if (before && isSpent(before)) {
    step.say(`${name} ended as ${before.status?.phase} without an answer; it is made again`);
    await run('kubectl', ['delete', 'bs', name, '-n', DEMO.namespace, '--timeout=120s']);
  }
  await run('kubectl', ['apply', '-f', MANIFEST]);
  const started = Date.now();
  const told = new Set<string>();
  const tell = (line: string): void => {
    if (told.has(line)) return;
    told.add(line);
    step.say(line);
  };
  for (;;) {
    const session = await find(name);
    if (!session) throw new Error(`the sample ${name} was deleted by somebody`);
    storyOf(session).forEach(tell);
    const { run: task, phase } = session.status ?? {};
    if (task?.state === 'succeeded') {
      return { session: name, uid: session.metadata.uid, summary: task.summary ?? '', outputRef: task.outputRef };
    }
    if ((task && ENDED.has(task.state)) || (phase && TERMINAL_PHASES.has(phase) && !task)) {
      throw new Error(
        `the sample did not work: ${task?.summary ?? session.status?.message ?? phase}\n${await describe(name)}`,
      );
    }
    if (Date.now() - started > PATIENCE_MS) throw new Error(`the sample has no answer yet\n${await describe(name)}`);
    await sleep(400);
  }
}

/** What has happened so far, a line for each thing worth knowing. */
function storyOf({ status = {} }: BrowserSession): string[] {
  const lines: string[] = [];
  for (const { type, status: is, reason, message } of status.conditions ?? []) {
    if (is === 'True' && type !== 'Ready') lines.push(`${type}: ${reason}${message ? `, ${message}` : ''}`);
  }
  if (status.phase)
    lines.push(`phase ${status.phase}${status.start && status.phase === 'Ready' ? ` (${status.start} start)` : ''}`);
  if (status.run)
    lines.push(`task ${status.run.state}${status.run.steps === undefined ? '' : `, step ${status.run.steps}`}`);
  return lines;
}

/** Over, and no answer will come. */
const isSpent = ({ status }: BrowserSession): boolean =>
  status?.run?.state !== 'succeeded' && status?.phase !== undefined && TERMINAL_PHASES.has(status.phase);

async function sampleName(): Promise<string> {
  const { metadata } = await kubectlJson<{ metadata: { name: string } }>('create', '--dry-run=client', '-f', MANIFEST);
  return metadata.name;
}

async function find(name: string): Promise<BrowserSession | undefined> {
  const { items } = await kubectlJson<{ items: BrowserSession[] }>(
    'get',
    'bs',
    '-n',
    DEMO.namespace,
    `--field-selector=metadata.name=${name}`,
  );
  return items[0];
}

const describe = (name: string): Promise<string> => run('kubectl', ['describe', 'bs', name, '-n', DEMO.namespace]);
