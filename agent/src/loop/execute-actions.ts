import type { ActionResult, AgentBrowser } from '../page/browser.ts';
import { BrowserLostError } from '../page/browser.ts';
import type { Answer, Tool, ToolContext } from '../tools/tool.ts';
import { DeadlineError, within } from '../within.ts';
import type { RunMessages } from './run-messages.ts';
import type { RunStore } from './run-store.ts';
import type { Outcome, PlannedAction } from './step-record.ts';

/** No tool takes longer than this; each has a shorter deadline of its own. */
const TOOL_DEADLINE_MS = 45_000;

/**
 * Does the actions of one reply in order, each with its intent written before and its outcome after it, and stops at
 * the first that changes the page. `lost` tells that the connection broke: that action's outcome is unknown.
 */
export async function executeActions(options: {
  step: number;
  actions: readonly PlannedAction[];
  tools: readonly Tool[];
  browser: AgentBrowser;
  finish: (answer: Answer) => ActionResult;
  store: RunStore;
  messages: RunMessages;
  signal: AbortSignal;
}): Promise<{ outcomes: Outcome[]; lost: boolean }> {
  const { step, actions, store, messages, signal } = options;
  const outcomes: Outcome[] = [];
  let lost = false;
  let cut = false;

  for (const [index, action] of actions.entries()) {
    if (cut) {
      outcomes.push({ status: 'skipped' });
      continue;
    }
    // The end of a run has a message of its own.
    const isTold = action.tool !== 'done';
    await store.intent(step, index, { tool: action.tool });
    if (isTold) await store.commit({}, [messages.action(action)]);
    const outcome = await doAction(action);
    lost = outcome.status === 'unknown';
    cut = lost || action.tool === 'done' || ('pageChanged' in outcome && outcome.pageChanged);
    await store.outcome(step, index, outcome);
    if (isTold || outcome.status === 'error') await store.commit({}, [messages.result(action, outcome)]);
    outcomes.push(outcome);
  }
  return { outcomes, lost };

  async function doAction(action: PlannedAction): Promise<Outcome> {
    const tool = options.tools.find((candidate) => candidate.name === action.tool);
    if (!tool) return { status: 'error', code: 'invalid_action', text: 'There is no such tool.', pageChanged: false };
    if (tool.name === 'done' && actions.length > 1) {
      const text = 'done must be the only action: look at the results first.';
      return { status: 'error', code: 'invalid_action', text, pageChanged: false };
    }
    const context: ToolContext = { browser: options.browser, finish: options.finish, signal };
    try {
      // The reply was checked against this tool's schema.
      return toOutcome(await within(tool.run(action.parameters as never, context), TOOL_DEADLINE_MS, signal));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof BrowserLostError || error instanceof DeadlineError) {
        return { status: 'unknown', text: 'The connection to the browser was lost while it was done.' };
      }
      throw error;
    }
  }
}

const toOutcome = (result: ActionResult): Outcome =>
  result.ok
    ? { status: 'ok', effect: result.effect, text: result.text, pageChanged: result.pageChanged }
    : { status: 'error', code: result.code, text: result.text, pageChanged: result.pageChanged };
