import { safeText } from '@podwright/api/safe-text';
import type { ModelMessage } from 'ai';
import { pageContent } from './prompt.ts';
import { STEP_TOOL } from './reply.ts';
import type { Outcome, PlannedAction, StepRecord } from './step-record.ts';

/** Steps told in full at least; older ones are folded ten at a time, so that the beginning of the prompt stays the same for provider caches. */
const FULL_STEPS = 10;
const FOLD = 10;

/** The run so far as messages: the task, one call and one result per step. */
export function historyMessages(task: string, steps: readonly StepRecord[]): ModelMessage[] {
  const folded = Math.max(0, Math.floor((steps.length - FULL_STEPS) / FOLD) * FOLD);
  const earlier = steps.slice(0, folded).map(foldStep);
  const opening =
    earlier.length === 0 ? task : `${task}\n\nEarlier steps, in short:\n${pageContent(earlier.join('\n'))}`;
  return [{ role: 'user', content: opening }, ...steps.slice(folded).flatMap(stepMessages)];
}

function stepMessages(step: StepRecord): ModelMessage[] {
  const { seen, plan, next } = step;
  const actions = step.actions.map((action) => ({ tool: action.tool, ...action.parameters }));
  const call = { toolCallId: `step-${step.step}`, toolName: STEP_TOOL };
  return [
    { role: 'assistant', content: [{ type: 'tool-call', ...call, input: { seen, plan, next, actions } }] },
    { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'text', value: resultsText(step) } }] },
  ];
}

export function resultsText(step: StepRecord): string {
  const lines = step.actions.map(
    (action, index) => `${index + 1}. ${action.tool}: ${outcomeText(step.outcomes[index])}`,
  );
  return pageContent(lines.join('\n'));
}

export function outcomeText(outcome: Outcome | undefined): string {
  switch (outcome?.status) {
    case 'ok':
      return `done. ${outcome.text}`;
    case 'error':
      return `failed (${outcome.code}). ${outcome.text}`;
    case 'unknown':
      return `outcome unknown. ${outcome.text}`;
    case 'skipped':
    case undefined:
  }
  return 'left out.';
}

function foldStep(step: StepRecord): string {
  const results = step.actions.map(
    (action, index) => `${actionText(action)}: ${safeText(outcomeText(step.outcomes[index]), 100)}`,
  );
  return `${step.step}. ${safeText(step.next, 160)} [${results.join('; ')}]`;
}

/** An action in a few words, for people and for folded history. */
export function actionText(action: PlannedAction): string {
  const values = Object.values(action.parameters).map((value) =>
    safeText(typeof value === 'string' ? value : JSON.stringify(value), 80),
  );
  return values.length === 0 ? action.tool : `${action.tool} ${values.join(' ')}`;
}
