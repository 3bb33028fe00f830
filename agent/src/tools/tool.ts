import type { Static, TObject } from 'typebox';
import type { ActionResult, AgentBrowser } from '../page/browser.ts';

/** What the agent says when it ends its run. */
export interface Answer {
  success: boolean;
  summary: string;
  output: unknown;
}

export interface ToolContext {
  browser: AgentBrowser;
  /** Accepts the answer, or says why it does not fit. */
  finish: (answer: Answer) => ActionResult;
  signal: AbortSignal;
}

/** One thing the model can do. Its schema is sent to the model and checks what comes back. */
export interface Tool {
  name: string;
  description: string;
  parameters: TObject;
  /** Arguments have passed `parameters`. Gives a verified effect or a typed error; throws only BrowserLostError. */
  run: (parameters: never, context: ToolContext) => Promise<ActionResult>;
}

/** Ties the type of the handler's parameters to the schema. */
export function defineTool<P extends TObject>(tool: {
  name: string;
  description: string;
  parameters: P;
  run: (parameters: Static<P>, context: ToolContext) => Promise<ActionResult>;
}): Tool {
  return tool;
}
