import type { Browser, Page } from 'playwright-core';
import type { ActionResult, EffectKind } from '../browser.ts';
import { BrowserLostError } from '../browser.ts';
import { identityOf } from '../snapshot.ts';
import { DeadlineError } from '../../within.ts';
import { type CollectedPage, collectPage } from './collect-page.ts';
import type { Dialogs } from './dialogs.ts';
import type { NavigationWatch } from './navigation-watch.ts';
import type { Refs } from './refs.ts';
import { isTimeout, settle } from './settle.ts';
import type { Tabs } from './tabs.ts';

/** What actions share: the page they work on and how to find out what they did to it. */
export interface PageSession {
  browser: Browser;
  tabs: Tabs;
  dialogs: Dialogs;
  refs: Refs;
  navigation: (page: Page) => NavigationWatch;
  isAllowed: (url: string) => boolean;
  now: () => number;
}

export type Failure = Extract<ActionResult, { ok: false }>;
export const failed = (code: Failure['code'], text: string, pageChanged = false): Failure => ({
  ok: false,
  code,
  text,
  pageChanged,
});
export const done = (effect: EffectKind, text: string, pageChanged = false): ActionResult => ({
  ok: true,
  effect,
  text,
  pageChanged,
});

/** The page to act on; throws when there is none. */
export function pageOf(session: PageSession): Page {
  const page = session.tabs.current();
  if (!session.browser.isConnected() || !page) throw new BrowserLostError('the browser is not connected any more');
  return page;
}

/** The refusal of an action while a dialog blocks the page; null when none does. */
export function blockedByDialog(session: PageSession): Failure | null {
  if (!session.dialogs.open(pageOf(session))) return null;
  return failed('dialog_open', 'The page shows a dialog; answer it with answer_dialog.');
}

/** What the page did in answer to an action. */
export type Reaction =
  | { kind: 'failure'; failure: Failure }
  | { kind: 'effect'; result: ActionResult }
  | { kind: 'same' };

/**
 * Does something to the page and reports what came of it: a dialog, a new tab, another document, another content, or
 * nothing. `act` must be bounded by itself; a dialog that opens meanwhile ends the wait for it.
 */
export async function actAndWatch(options: {
  session: PageSession;
  /** Milliseconds in which the page must have reacted. */
  budgetMs: number;
  signal: AbortSignal;
  act: (page: Page) => Promise<unknown>;
}): Promise<Reaction> {
  const { session, signal } = options;
  const page = pageOf(session);
  const blocked = blockedByDialog(session);
  if (blocked) return { kind: 'failure', failure: blocked };
  const before = await look(page, signal);
  const navigation = session.navigation(page);
  const commits = navigation.commits();
  const deadline = session.now() + options.budgetMs;
  session.tabs.takeOpened();

  const dialogWatch = new AbortController();
  try {
    const acting = options.act(page);
    acting.catch(() => {});
    await Promise.race([acting, session.dialogs.opened(page, dialogWatch.signal)]);
  } catch (error) {
    signal.throwIfAborted();
    if (!session.browser.isConnected())
      throw new BrowserLostError('the connection to the browser was lost', { cause: error });
    return { kind: 'failure', failure: failureOf(error) };
  } finally {
    dialogWatch.abort();
  }
  const settled = await Promise.race([
    settle({ page, navigation, deadline, now: session.now, signal }),
    session.dialogs
      .opened(page, AbortSignal.any([signal, AbortSignal.timeout(options.budgetMs + 1_000)]))
      .then(() => true),
  ]);

  const dialog = session.dialogs.open(page);
  if (dialog) {
    return { kind: 'effect', result: done('dialog', `The page asks (${dialog.type}): "${dialog.message}"`, true) };
  }
  const opened = session.tabs.takeOpened();
  if (opened) return { kind: 'effect', result: await follow(session, opened, signal) };
  const present = session.tabs.current();
  if (present !== page || page.isClosed())
    return { kind: 'effect', result: done('changed', 'The tab was closed.', true) };

  if (!session.isAllowed(page.url())) {
    const origin = originOf(page.url());
    await page.goBack({ timeout: 1_500, waitUntil: 'commit' }).catch(() => null);
    if (!session.isAllowed(page.url())) await page.goto('about:blank').catch(() => null);
    return {
      kind: 'failure',
      failure: failed(
        'origin_not_allowed',
        `It led to ${origin}, which this run may not use; it was left again.`,
        true,
      ),
    };
  }
  if (!settled && navigation.pending()) {
    return { kind: 'effect', result: done('loading', 'The next page is still loading.', true) };
  }
  const after = await look(page, signal);
  if (navigation.commits() > commits || after.url !== before.url) {
    const status = navigation.lastStatus();
    const told = status !== null && status >= 400 ? ` The server answered ${status}.` : '';
    return {
      kind: 'effect',
      result: done('navigated', `The page is now "${after.title}" at ${after.url}.${told}`, true),
    };
  }
  if (after.identity !== before.identity)
    return { kind: 'effect', result: done('changed', 'The content of the page changed.', true) };
  return { kind: 'same' };
}

async function follow(session: PageSession, opened: Page, signal: AbortSignal): Promise<ActionResult> {
  await opened.waitForLoadState('domcontentloaded', { timeout: 2_000 }).catch(() => {});
  signal.throwIfAborted();
  if (!session.isAllowed(opened.url())) {
    const origin = originOf(opened.url());
    await opened.close();
    return failed(
      'origin_not_allowed',
      `It opened a tab on ${origin}, which this run may not use; the tab was closed.`,
    );
  }
  await session.tabs.switchTo(opened);
  return done('new_tab', `A new tab opened and is now the current one: ${opened.url()}`, true);
}

export const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url.slice(0, 100));

async function look(page: Page, signal: AbortSignal): Promise<{ url: string; title: string; identity: string }> {
  const collected = await collectWithRetry(page, signal);
  const { url, title, nodes } = collected;
  collected.dispose();
  return { url, title, identity: identityOf({ url, nodes }) };
}

/** A page that is replaced while it is looked at is looked at again. Throws BrowserLostError when it never answers. */
export async function collectWithRetry(page: Page, signal: AbortSignal): Promise<CollectedPage> {
  let last: unknown;
  for (let round = 0; round < 4; round += 1) {
    try {
      return await collectPage(page, signal);
    } catch (error) {
      signal.throwIfAborted();
      last = error;
      if (page.isClosed()) break;
      await page.waitForLoadState('domcontentloaded', { timeout: 3_000 }).catch(() => {});
    }
  }
  throw new BrowserLostError('the page gives no answer', { cause: last });
}

/** Words of an error of Playwright without its call log and colours. */
export function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  const [first = ''] = message.split('\n');
  const words = first.replace(/^[A-Za-z]+\.[A-Za-z]+: /, '').slice(0, 300);
  if (isTimeout(error) || error instanceof DeadlineError) {
    const cover = /<([^>]{1,80})>.{0,80}intercepts pointer events/.exec(message)?.[1];
    return cover === undefined
      ? failed('timeout', 'The element did not become ready for it in time.')
      : failed('covered', `<${cover}> lies over the element.`);
  }
  return failed('failed', words);
}
