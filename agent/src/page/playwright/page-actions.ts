import { setTimeout as delay } from 'node:timers/promises';
import { type ActionResult, BrowserLostError } from '../browser.ts';
import { findNodes } from '../snapshot.ts';
import { renderNode } from '../render-snapshot.ts';
import { within } from '../../within.ts';
import type { PageWindow } from './dom.ts';
import {
  type PageSession,
  actAndWatch,
  blockedByDialog,
  done,
  failed,
  failureOf,
  originOf,
  pageOf,
} from './page-session.ts';
import { isTimeout } from './settle.ts';

/** Loading a page may take longer than an action on an element. */
const NAVIGATION_MS = 20_000;
const BACK_MS = 6_000;
const EXTRACT_CHARACTERS = 6_000;
const WAIT_MS = 10_000;

export async function open(session: PageSession, url: string, signal: AbortSignal): Promise<ActionResult> {
  const target = normalise(url);
  if (!target) return failed('invalid_url', `"${url.slice(0, 200)}" is no http or https address.`);
  if (!session.isAllowed(target)) return failed('origin_not_allowed', `This run may not use ${originOf(target)}.`);
  const reaction = await actAndWatch({
    session,
    budgetMs: NAVIGATION_MS,
    signal,
    act: (page) =>
      within(page.goto(target, { timeout: NAVIGATION_MS, waitUntil: 'domcontentloaded' }), NAVIGATION_MS + 500, signal),
  });
  if (reaction.kind === 'failure') {
    if (reaction.failure.code === 'origin_not_allowed') return reaction.failure;
    const cause = /net::[A-Z_]+/.exec(reaction.failure.text)?.[0] ?? reaction.failure.text;
    return failed('navigation_failed', `${originOf(target)} could not be loaded: ${cause}`, true);
  }
  return reaction.kind === 'effect'
    ? reaction.result
    : done('navigated', `The page is now at ${pageOf(session).url()}.`, true);
}

export async function back(session: PageSession, signal: AbortSignal): Promise<ActionResult> {
  let moved = true;
  const reaction = await actAndWatch({
    session,
    budgetMs: NAVIGATION_MS,
    signal,
    act: async (page) => {
      const before = page.url();
      const response = await page.goBack({ timeout: BACK_MS, waitUntil: 'commit' });
      moved = response !== null || page.url() !== before;
    },
  });
  if (reaction.kind === 'failure') {
    // Playwright does not notice a page that Chromium takes out of its back-forward cache; a new connection does.
    if (reaction.failure.code === 'timeout') throw new BrowserLostError('the page does not answer after going back');
    return reaction.failure;
  }
  if (!moved) return failed('no_history', 'There is no page to go back to.');
  return reaction.kind === 'effect'
    ? reaction.result
    : done('navigated', `The page is now at ${pageOf(session).url()}.`, true);
}

export async function extract(
  session: PageSession,
  ref: string | null,
  from: number,
  signal: AbortSignal,
): Promise<ActionResult> {
  const blocked = blockedByDialog(session);
  if (blocked) return blocked;
  let text: string;
  if (ref === null) {
    const parts: string[] = [];
    for (const frame of pageOf(session).frames()) {
      parts.push(await within(frame.evaluate(readText), 1_900, signal).catch(() => ''));
    }
    text = parts.filter(Boolean).join('\n\n');
  } else {
    const found = await session.refs.resolve(ref);
    if (!('element' in found)) return found;
    text = await within(found.element.innerText(), 1_900, signal);
  }
  const piece = text.slice(from, from + EXTRACT_CHARACTERS);
  if (piece.trim() === '') return done('read', from === 0 ? 'There is no text.' : 'There is no further text.');
  const rest = text.length - from - piece.length;
  return done(
    'read',
    rest > 0 ? `${piece}\n(${rest} characters follow; continue with from=${from + piece.length})` : piece,
  );
}

export async function find(session: PageSession, words: string): Promise<ActionResult> {
  const snapshot = session.refs.current();
  const nodes = snapshot ? findNodes(snapshot, words, 20) : [];
  if (nodes.length === 0) return failed('not_found', `"${words}" is not on the present page.`);
  return done('read', nodes.map((node) => renderNode({ ...node, depth: 0 })).join('\n'));
}

export async function waitFor(
  session: PageSession,
  what: { text: string } | { seconds: number },
  signal: AbortSignal,
): Promise<ActionResult> {
  if ('seconds' in what) {
    const milliseconds = Math.min(what.seconds * 1_000, WAIT_MS);
    await delay(milliseconds, undefined, { signal });
    return done('waited', `Waited ${milliseconds / 1_000} seconds.`, true);
  }
  const deadline = session.now() + WAIT_MS;
  while (session.now() < deadline && !session.dialogs.open(pageOf(session))) {
    for (const frame of pageOf(session).frames()) {
      const text = await within(frame.evaluate(readText), 1_900, signal).catch(() => '');
      if (text.toLowerCase().includes(what.text.toLowerCase()))
        return done('waited', `"${what.text}" is on the page.`, true);
    }
    await delay(200, undefined, { signal });
  }
  return failed('timeout', `"${what.text}" did not appear within ${WAIT_MS / 1_000} seconds.`, true);
}

export async function switchTab(session: PageSession, index: number): Promise<ActionResult> {
  const page = session.tabs.all()[index - 1];
  if (!page) return failed('no_such_tab', `There are ${session.tabs.all().length} tabs.`);
  if (!session.isAllowed(page.url()))
    return failed('origin_not_allowed', `This run may not use ${originOf(page.url())}.`);
  await session.tabs.switchTo(page);
  return done('new_tab', `Tab ${index} is now the current one: ${page.url()}`, true);
}

export async function answerDialog(session: PageSession, accept: boolean, text: string | null): Promise<ActionResult> {
  try {
    if (!(await session.dialogs.answer(pageOf(session), accept, text)))
      return failed('no_dialog', 'No dialog is open.');
  } catch (error) {
    return isTimeout(error) ? failed('timeout', 'The dialog did not close in time.') : failureOf(error);
  }
  return done('dialog', accept ? 'The dialog was accepted.' : 'The dialog was dismissed.', true);
}

function readText(): string {
  const { body } = (globalThis as unknown as PageWindow).document;
  return body?.innerText ?? '';
}

/** People write `shop.example.com/x`; browsers mean https by it. */
function normalise(url: string): string | null {
  const text = url.trim();
  const full = /^[a-z][a-z0-9+.-]*:/i.test(text) && !/^[^/]+:\d+(\/|$)/.test(text) ? text : `https://${text}`;
  if (!URL.canParse(full)) return null;
  const { protocol, href } = new URL(full);
  return protocol === 'http:' || protocol === 'https:' ? href : null;
}
