import { createHash } from 'node:crypto';
import type { ModelMessage } from 'ai';
import { BrowserLostError, type Observation } from '../page/browser.ts';
import { identityOf } from '../page/snapshot.ts';
import type { ActionResult } from '../page/browser.ts';
import type { Answer, Tool } from '../tools/tool.ts';
import type { BrowserLink } from './browser-link.ts';
import { executeActions } from './execute-actions.ts';
import { historyMessages } from './history.ts';
import { judgeProgress } from './progress.ts';
import { observationText } from './prompt.ts';
import type { RunMessages } from './run-messages.ts';
import type { RunStore } from './run-store.ts';
import type { StepRecord } from './step-record.ts';
import type { Thinker } from './think.ts';

/** Parts of a step that are timed. */
export type StepPart = 'observe' | 'model' | 'act';

/** Where the run is in the browser; a new connection continues there. */
export interface Position {
  tab: string | null;
  /** Highest snapshot number the model has seen. */
  snapshot: number;
}

export interface StepOptions {
  link: BrowserLink;
  thinker: Thinker;
  tools: readonly Tool[];
  store: RunStore;
  messages: RunMessages;
  position: Position;
  /** Text of the task, the same in every step. */
  task: string;
  goal: string;
  maxSteps: number;
  finish: (answer: Answer) => ActionResult;
  saveScreenshot: (step: number, jpeg: Buffer) => Promise<string | null>;
  onScreenshot: (ref: string) => void;
  onPart: (part: StepPart, seconds: number) => void;
  now: () => number;
  signal: AbortSignal;
}

/** The goal is repeated every so many steps. */
const GOAL_EVERY = 10;
const OBSERVE_TRIES = 3;

/** Observe, think, act, record. `lost`: the connection to the browser broke and must be made anew. */
export async function takeStep(
  options: StepOptions,
  earlier: readonly StepRecord[],
): Promise<{ record: StepRecord; lost: boolean }> {
  const { link, store, messages, signal } = options;
  const step = earlier.length + 1;
  const observation = await timed(options, 'observe', () => observe(link, signal));
  const browser = await link.browser(signal);
  // The picture is taken and stored while the model thinks.
  const saving = browser.screenshot(signal).then((jpeg) => (jpeg ? options.saveScreenshot(step, jpeg) : null));
  saving.catch(() => {});

  const reply = await timed(options, 'model', () =>
    options.thinker.think(prepareMessages(options, earlier, observation), signal),
  );
  const screenshotRef = await saving.catch(() => null);
  if (screenshotRef !== null) options.onScreenshot(screenshotRef);

  const { snapshot } = observation;
  const tab = browser.currentTab();
  const seen = { snapshot: snapshot?.number ?? 0, url: observation.url, page: fingerprint(observation) };
  options.position.tab = tab;
  options.position.snapshot = Math.max(options.position.snapshot, seen.snapshot);
  await store.note(step, { type: 'reply', reply, ...seen, tab });
  const thoughts = messages.thoughts(reply);
  await store.commit({ lastStepSummary: thoughts.summary, ...(screenshotRef === null ? {} : { screenshotRef }) }, [
    thoughts,
  ]);

  const { outcomes, lost } = await timed(options, 'act', () =>
    executeActions({
      step,
      actions: reply.actions,
      tools: options.tools,
      browser,
      finish: options.finish,
      store,
      messages,
      signal,
    }),
  );
  const record: StepRecord = { ...reply, step, ...seen, outcomes };
  await store.finishStep(step);
  await store.commit({ steps: step });
  return { record, lost };
}

async function observe(link: BrowserLink, signal: AbortSignal): Promise<Observation> {
  for (let round = 1; ; round += 1) {
    const browser = await link.browser(signal);
    try {
      return await browser.observe(signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof BrowserLostError) || round >= OBSERVE_TRIES) throw error;
      await link.drop();
    }
  }
}

function prepareMessages(
  options: StepOptions,
  earlier: readonly StepRecord[],
  observation: Observation,
): ModelMessage[] {
  const step = earlier.length + 1;
  const progress = judgeProgress(earlier);
  const text = observationText({
    observation,
    step,
    maxSteps: options.maxSteps,
    goal: step % GOAL_EVERY === 0 ? options.goal : null,
    nudge: progress.kind === 'nudge' ? progress.words : null,
  });
  return [...historyMessages(options.task, earlier), { role: 'user', content: text }];
}

const fingerprint = ({ snapshot, url }: Observation): string =>
  createHash('sha256')
    .update(snapshot ? identityOf(snapshot) : url)
    .digest('hex')
    .slice(0, 16);

async function timed<T>(options: StepOptions, part: StepPart, work: () => Promise<T>): Promise<T> {
  const started = options.now();
  try {
    return await work();
  } finally {
    options.onPart(part, (options.now() - started) / 1_000);
  }
}
