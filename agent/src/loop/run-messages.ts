import { safeText } from '@podwright/api/safe-text';
import type { MessageType } from '@podwright/api/run';
import type { NewMessage } from '@podwright/runs/encoding';
import { actionText, outcomeText } from './history.ts';
import type { Outcome, PlannedAction, Reply } from './step-record.ts';

/** Messages of a conversation that tell what the agent does, as clients of the API read them. */
export interface RunMessages {
  goal(goal: string): NewMessage;
  thoughts(reply: Reply): NewMessage;
  action(action: PlannedAction): NewMessage;
  result(action: PlannedAction, outcome: Outcome): NewMessage;
  completion(output: unknown, summary: string): NewMessage;
}

const DATA_CHARACTERS = 8_000;

export function createRunMessages(runId: string, screenshotRef: () => string | null): RunMessages {
  const message = (type: MessageType, data: unknown, summary: string, more: Partial<NewMessage> = {}): NewMessage => ({
    runId,
    role: 'ai',
    type,
    data: (typeof data === 'string' ? data : JSON.stringify(data)).slice(0, DATA_CHARACTERS),
    summary: safeText(summary),
    screenshotRef: null,
    hidden: false,
    ...more,
  });
  return {
    goal: (goal) => message('planning', goal, `Goal: ${goal}`, { hidden: true }),
    thoughts: ({ seen, plan, next }) => message('planning', { seen, plan, next }, next || plan || seen),
    action: (action) =>
      message('browser_action', { tool: action.tool, ...action.parameters }, actionText(action), {
        screenshotRef: screenshotRef(),
      }),
    result: (action, outcome) =>
      message(
        outcome.status === 'ok' ? 'browser_action_result' : 'browser_action_error',
        { tool: action.tool, ...outcome },
        outcomeText(outcome),
      ),
    completion: (output, summary) =>
      message('completion', output ?? summary, summary, { screenshotRef: screenshotRef() }),
  };
}
