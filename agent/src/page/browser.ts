import type { Snapshot } from './snapshot.ts';

/** What the step loop knows of a browser. Playwright is one way to give it; nothing outside its folder names it. */

export type EffectKind =
  | 'navigated'
  | 'new_tab'
  | 'dialog'
  | 'changed'
  | 'value_set'
  | 'scrolled'
  | 'loading'
  | 'read'
  | 'waited'
  | 'nothing';

export const ACTION_ERRORS = {
  invalid_action: 'The action does not follow its schema.',
  unknown_ref: 'The ref is in no snapshot of this page.',
  stale_ref: 'The ref belongs to an earlier snapshot, or its element was removed.',
  hidden: 'The element has no visible place on the page.',
  disabled: 'The element is disabled.',
  covered: 'Another element lies over it.',
  not_editable: 'The element takes no text.',
  not_a_select: 'The element is no select box.',
  no_such_option: 'The select box has no such option.',
  value_refused: 'The page did not keep the value.',
  bad_key: 'There is no such key.',
  invalid_url: 'Only http and https addresses can be opened.',
  origin_not_allowed: 'The run may not use this origin.',
  navigation_failed: 'The page could not be loaded.',
  no_history: 'There is no page to go back to.',
  dialog_open: 'A dialog of the page must be answered first.',
  no_dialog: 'No dialog is open.',
  no_such_tab: 'There is no such tab.',
  not_found: 'It is not on the page.',
  timeout: 'It did not happen in time.',
  output_invalid: 'The answer does not match the output schema.',
  failed: 'The browser refused the action.',
} as const;
export type ActionErrorCode = keyof typeof ACTION_ERRORS;

/** What an action did. A failed action is a value, never an exception: the model reads it and goes on. */
export type ActionResult =
  | {
      ok: true;
      effect: EffectKind;
      /** One sentence, verified on the page. */
      text: string;
      /** The refs the model holds are worth nothing now: later actions of the same reply are cut. */
      pageChanged: boolean;
    }
  | { ok: false; code: ActionErrorCode; text: string; pageChanged: boolean };

export interface OpenDialog {
  type: 'alert' | 'confirm' | 'prompt' | 'beforeunload';
  message: string;
}

export interface Observation {
  /** Null while a dialog blocks the page. */
  snapshot: Snapshot | null;
  url: string;
  dialog: OpenDialog | null;
  tabs: { title: string; url: string; current: boolean }[];
  /** What happened on its own since the last look: closed tabs, answered alerts. */
  notices: string[];
}

/** The connection to the browser, or the page itself, is gone. The only exception that actions throw. */
export class BrowserLostError extends Error {
  override readonly name = 'BrowserLostError';
}

export type ScrollDirection = 'up' | 'down' | 'left' | 'right' | 'top' | 'bottom';

/** Every method ends within its deadline (2 s for elements, longer for navigation) or when `signal` aborts. */
export interface AgentBrowser {
  observe(signal: AbortSignal): Promise<Observation>;
  open(url: string, signal: AbortSignal): Promise<ActionResult>;
  back(signal: AbortSignal): Promise<ActionResult>;
  click(ref: string, signal: AbortSignal): Promise<ActionResult>;
  type(ref: string, text: string, submit: boolean, signal: AbortSignal): Promise<ActionResult>;
  select(ref: string, options: string[], signal: AbortSignal): Promise<ActionResult>;
  press(key: string, signal: AbortSignal): Promise<ActionResult>;
  scroll(direction: ScrollDirection, ref: string | null, signal: AbortSignal): Promise<ActionResult>;
  /** Text of the page or of one element, from character `from`. */
  extract(ref: string | null, from: number, signal: AbortSignal): Promise<ActionResult>;
  find(words: string, signal: AbortSignal): Promise<ActionResult>;
  waitFor(what: { text: string } | { seconds: number }, signal: AbortSignal): Promise<ActionResult>;
  switchTab(index: number, signal: AbortSignal): Promise<ActionResult>;
  answerDialog(accept: boolean, text: string | null, signal: AbortSignal): Promise<ActionResult>;
  /** JPEG of the visible part; null when the page gives none in time. */
  screenshot(signal: AbortSignal): Promise<Buffer | null>;
  /** Identifies the present tab for a worker that takes the run over; null when there is none. */
  currentTab(): string | null;
  /** Detaches and leaves the browser as it is. */
  close(): Promise<void>;
}
