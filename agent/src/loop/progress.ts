import type { StepRecord } from './step-record.ts';

/** Steps looked back on. */
const WINDOW = 12;
/** The same actions on the same page this often: told to the model, then the end. */
const REPEATS = { nudge: 3, stop: 5 };
/** Steps without one successful action. */
const FAILURES = { nudge: 3, stop: 6 };
/** Waiting looks the same every time and is no sign of confusion until it goes on for long. */
const WAITS = { nudge: 10, stop: 30 };

export type Progress = { kind: 'fine' } | { kind: 'nudge'; words: string } | { kind: 'stuck'; words: string };

/** Whether a run gets further, judged by what it did on which page. */
export function judgeProgress(steps: readonly StepRecord[]): Progress {
  const last = steps.at(-1);
  if (!last) return { kind: 'fine' };
  const isWaiting = (step: StepRecord) => step.actions.every((action) => action.tool === 'wait_for');
  if (isWaiting(last)) {
    const others = steps.findLastIndex((step) => !isWaiting(step));
    return grade(steps.length - 1 - others, WAITS, 'only waited');
  }
  const signature = signatureOf(last);
  const repeats = steps.slice(-WINDOW).filter((step) => signatureOf(step) === signature).length;
  const repeated = grade(repeats, REPEATS, 'did the same on the same page');
  if (repeated.kind !== 'fine') return repeated;
  const lastSuccess = steps.findLastIndex((step) => step.outcomes.some((outcome) => outcome.status === 'ok'));
  return grade(steps.length - 1 - lastSuccess, FAILURES, 'did nothing that worked');
}

function grade(count: number, limits: { nudge: number; stop: number }, what: string): Progress {
  if (count >= limits.stop) return { kind: 'stuck', words: `It ${what} ${count} times.` };
  if (count >= limits.nudge) {
    return {
      kind: 'nudge',
      words: `You ${what} ${count} times. Try another way, or end the run with done and success false.`,
    };
  }
  return { kind: 'fine' };
}

/** Refs are compared without their snapshot: a reloaded page is the same page. */
const signatureOf = (step: StepRecord): string =>
  `${step.page} ${JSON.stringify(step.actions).replaceAll(/"s\d+e(\d+)"/g, '"e$1"')}`;
