import type { ActionErrorCode, EffectKind } from '../page/browser.ts';

/** What is known of the steps of a run: kept in the journal, told to the model, and enough to continue from. */

/** An action as the model asked for it; `parameters` follow the schema of the tool. */
export interface PlannedAction {
  tool: string;
  parameters: Record<string, unknown>;
}

/** Thoughts and actions of one reply. */
export interface Reply {
  seen: string;
  plan: string;
  next: string;
  actions: PlannedAction[];
}

export type Outcome =
  | { status: 'ok'; effect: EffectKind; text: string; pageChanged: boolean }
  | { status: 'error'; code: ActionErrorCode; text: string; pageChanged: boolean }
  /** The worker or the connection was lost between intent and outcome. */
  | { status: 'unknown'; text: string }
  /** Not begun, because an action before it changed the page or ended the run. */
  | { status: 'skipped' };

export interface StepRecord extends Reply {
  /** From 1. */
  step: number;
  /** Number of the snapshot that the actions refer to; 0 when none was shown. */
  snapshot: number;
  url: string;
  /** Short hash of what the page was, to notice standing still. */
  page: string;
  /** One per action. */
  outcomes: Outcome[];
}
