import type { AskModel } from '../models/call-model.ts';
import type { Usage } from '../models/price.ts';

/** A task up to this length says its goal itself. */
const SHORT_TASK = 280;
const GOAL_TOKENS = 200;

const SYSTEM = `Reduce the task of a user to one sentence that says what a complete and correct result looks like.
Answer with that sentence alone.`;

/**
 * One sentence that says what the result must be; it is repeated to the model in long runs. When the model cannot be
 * asked, the first sentence of the task serves.
 */
export async function findGoal(options: {
  task: string;
  ask: AskModel;
  /** False when there is no money for an extra call. */
  mayAsk: boolean;
  onUsage: (usage: Usage) => Promise<void>;
  signal: AbortSignal;
}): Promise<string> {
  const { task, signal } = options;
  if (task.length <= SHORT_TASK) return task.trim();
  if (options.mayAsk) {
    try {
      const messages = [{ role: 'user' as const, content: `<task>\n${task}\n</task>` }];
      const reply = await options.ask({ system: SYSTEM, messages, tool: null, maxOutputTokens: GOAL_TOKENS, signal });
      await options.onUsage(reply.usage);
      const goal = reply.text.trim();
      if (goal !== '') return goal.slice(0, 500);
    } catch {
      signal.throwIfAborted();
      // The goal is a help and not a need: the steps will meet the same trouble and report it properly.
    }
  }
  return firstSentence(task);
}

export const firstSentence = (task: string): string =>
  (/^[\s\S]{0,400}?[.!?](?=\s|$)/.exec(task.trim())?.[0] ?? task.trim().slice(0, 400)).trim();
