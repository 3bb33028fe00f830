import type { ModelEntry } from '@podwright/api/models';
import type { RunRecord } from '@podwright/api/run';
import type { AskModel } from '../models/call-model.ts';
import { ModelCallError } from '../models/classify-error.ts';
import type { Usage } from '../models/price.ts';
import { BrowserLostError } from '../page/browser.ts';
import type { Answer, Tool } from '../tools/tool.ts';
import { type AnswerCheck, MOST_INVALID_ANSWERS, createAnswerCheck } from './answer.ts';
import { type BrowserLink, SessionGoneError } from './browser-link.ts';
import { findGoal } from './goal.ts';
import { createLedger } from './ledger.ts';
import { taskText } from './prompt.ts';
import { resumeFrom } from './resume.ts';
import type { RunControl } from './run-control.ts';
import { type RunEnd, answered, failedWith } from './run-end.ts';
import { createRunMessages } from './run-messages.ts';
import type { RunStore } from './run-store.ts';
import type { StepRecord } from './step-record.ts';
import { firstStop } from './stop.ts';
import { type Position, type StepPart, takeStep } from './take-step.ts';
import { BudgetError, createThinker } from './think.ts';

export interface RunTaskOptions {
  /** The record as it was when this attempt took it. */
  record: RunRecord;
  entry: ModelEntry;
  ask: AskModel;
  tools: readonly Tool[];
  store: RunStore;
  control: RunControl;
  /** `podUid`: where an earlier attempt worked; `position`: where each new connection continues. */
  openLink: (options: { podUid: string | null; position: () => Position }) => BrowserLink;
  /** Stores a picture and gives its reference; null when it could not be stored. */
  saveScreenshot: (step: number, jpeg: Buffer) => Promise<string | null>;
  onPart: (part: StepPart, seconds: number) => void;
  onTokens: (usage: Usage) => void;
  /** Of one attempt. */
  maxDurationMs: number;
  now: () => number;
}

/**
 * Works on a run until it ends or is to be handed back. Every end that the run itself causes is a RunEnd; it throws
 * only what `control.signal` was aborted with, SupersededError, and bugs.
 */
export async function runTask(options: RunTaskOptions): Promise<RunEnd | 'handed back'> {
  const { record, store, control, tools, ask } = options;
  const { request } = record;
  const { signal } = control;
  const startedAtMs = options.now();

  let answers: AnswerCheck;
  try {
    answers = createAnswerCheck(request.outputSchema);
  } catch (error) {
    return failedWith('output_invalid', error instanceof Error ? error.message : undefined);
  }
  const resumed = resumeFrom(await store.journal());
  const { steps } = resumed;
  const settled = submitAgain(steps.at(-1), answers);
  if (settled) return answered(settled);
  const position: Position = { tab: resumed.tab, snapshot: resumed.snapshot };
  const link = options.openLink({ podUid: resumed.podUid, position: () => position });
  const ledger = createLedger({ record, price: options.entry.price, store, onTokens: options.onTokens });
  let { screenshotRef } = record;
  const messages = createRunMessages(request.runId, () => screenshotRef);

  try {
    await link.browser(signal);
    const podUid = link.podUid();
    if (resumed.podUid === null && podUid !== null) await store.note(0, { type: 'pod', podUid });
    const goal = resumed.goal ?? (await decideGoal());
    const stepOptions = {
      link,
      tools,
      store,
      messages,
      position,
      goal,
      signal,
      thinker: createThinker({ ask, tools, price: options.entry.price, moneyLeft: ledger.left, onUsage: ledger.add }),
      task: taskText({ ...request, goal }),
      maxSteps: request.maxSteps,
      finish: answers.submit,
      saveScreenshot: options.saveScreenshot,
      onScreenshot: (ref: string) => (screenshotRef = ref),
      onPart: options.onPart,
      now: options.now,
    };

    for (;;) {
      if (control.shouldHandBack()) return 'handed back';
      if (control.paused()) {
        await waitWhilePaused();
        continue;
      }
      const stop = firstStop({
        steps,
        maxSteps: request.maxSteps,
        startedAtMs,
        maxDurationMs: options.maxDurationMs,
        spentMicroUsd: ledger.spent(),
        maxCostMicroUsd: request.maxCostMicroUsd,
        nowMs: options.now(),
      });
      if (stop) return failedWith(stop.kind, stop.message);
      const { record: step, lost } = await takeStep(stepOptions, steps);
      steps.push(step);
      const answer = answers.accepted();
      if (answer) return answered(answer);
      if (answers.refused() >= MOST_INVALID_ANSWERS) {
        return failedWith('output_invalid', `${answers.refused()} answers did not match the output schema.`);
      }
      if (lost) await link.drop();
    }
  } catch (error) {
    signal.throwIfAborted();
    return endOf(error);
  } finally {
    await link.drop();
  }

  async function decideGoal(): Promise<string> {
    const left = ledger.left();
    const mayAsk = left === null || left > 0;
    const goal = await findGoal({ task: request.task, ask, mayAsk, onUsage: ledger.add, signal });
    await store.note(0, { type: 'goal', goal });
    // A short task is its own goal and needs no second message.
    if (goal !== request.task.trim()) await store.commit({}, [messages.goal(goal)]);
    return goal;
  }

  async function waitWhilePaused(): Promise<void> {
    await store.commit({ state: 'paused' });
    await control.resumed();
    await store.commit({ state: 'running' });
  }
}

/** The answer of a run whose worker was lost after it was given and before the end was written. */
function submitAgain(last: StepRecord | undefined, answers: AnswerCheck): Answer | null {
  const at = last?.actions.findIndex((action) => action.tool === 'done') ?? -1;
  if (last?.outcomes[at]?.status !== 'ok') return null;
  const { success, summary, output } = last.actions[at]?.parameters ?? {};
  answers.submit({
    success: success === true,
    summary: typeof summary === 'string' ? summary : '',
    output: output ?? null,
  });
  return answers.accepted();
}

/** What an error means for the run; bugs are thrown again. */
function endOf(error: unknown): RunEnd {
  if (error instanceof ModelCallError)
    return failedWith(error.failure.kind, error.failure.message, error.failure.status);
  if (error instanceof BudgetError) return failedWith('budget_exceeded', error.message);
  if (error instanceof SessionGoneError) return failedWith('session_gone', error.message);
  if (error instanceof BrowserLostError) return failedWith('browser_crashed', 'The browser does not answer any more.');
  throw error;
}
