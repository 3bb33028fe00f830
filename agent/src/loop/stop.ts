import type { FailureKind } from '@podwright/api/run';
import { judgeProgress } from './progress.ts';
import type { StepRecord } from './step-record.ts';

/** What the limits of a run look at, before each step. */
export interface RunSoFar {
  steps: readonly StepRecord[];
  maxSteps: number;
  startedAtMs: number;
  maxDurationMs: number;
  spentMicroUsd: number;
  maxCostMicroUsd: number | null;
  nowMs: number;
}

export interface Stop {
  kind: FailureKind;
  message: string;
}

export type StopPredicate = (run: RunSoFar) => Stop | null;

const stepLimit: StopPredicate = ({ steps, maxSteps }) =>
  steps.length >= maxSteps ? { kind: 'step_limit', message: `It used all of its ${maxSteps} steps.` } : null;

const timeLimit: StopPredicate = ({ startedAtMs, maxDurationMs, nowMs }) =>
  nowMs - startedAtMs >= maxDurationMs
    ? { kind: 'time_limit', message: `It ran for ${Math.round(maxDurationMs / 60_000)} minutes.` }
    : null;

const costLimit: StopPredicate = ({ spentMicroUsd, maxCostMicroUsd }) =>
  maxCostMicroUsd !== null && spentMicroUsd > 0 && spentMicroUsd >= maxCostMicroUsd
    ? { kind: 'budget_exceeded', message: 'Its money limit was reached.' }
    : null;

const noProgress: StopPredicate = ({ steps }) => {
  const progress = judgeProgress(steps);
  return progress.kind === 'stuck' ? { kind: 'no_progress', message: progress.words } : null;
};

export const STOPS: readonly StopPredicate[] = [stepLimit, timeLimit, costLimit, noProgress];

export const firstStop = (run: RunSoFar): Stop | null => {
  for (const predicate of STOPS) {
    const stop = predicate(run);
    if (stop) return stop;
  }
  return null;
};
