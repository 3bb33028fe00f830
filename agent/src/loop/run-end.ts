import { safeText } from '@podwright/api/safe-text';
import { FAILURE_KINDS, type FailureKind } from '@podwright/api/run';
import type { RunPatch } from '@podwright/runs/attempts';
import type { Answer } from '../tools/tool.ts';

/** How a run ended; everything of it is written at once. */
export interface RunEnd {
  state: 'succeeded' | 'failed' | 'cancelled';
  output: unknown;
  summary: string;
  failureKind: FailureKind | null;
  failureStatusCode: number | null;
}

export const answered = (answer: Answer): RunEnd => ({
  state: answer.success ? 'succeeded' : 'failed',
  output: answer.output,
  summary: answer.summary,
  failureKind: answer.success ? null : 'agent_gave_up',
  failureStatusCode: null,
});

export const failedWith = (kind: FailureKind, message?: string, statusCode: number | null = null): RunEnd => ({
  state: kind === 'cancelled' ? 'cancelled' : 'failed',
  output: null,
  summary: message ?? FAILURE_KINDS[kind],
  failureKind: kind,
  failureStatusCode: statusCode,
});

export const endPatch = (end: RunEnd, endedAt: Date): RunPatch => ({
  state: end.state,
  output: end.output,
  success: end.state === 'succeeded',
  lastStepSummary: safeText(end.summary, 1_000),
  failureKind: end.failureKind,
  failureMessage: end.failureKind === null ? null : safeText(end.summary, 1_000),
  failureStatusCode: end.failureStatusCode,
  endedAt: endedAt.toISOString(),
});
