import type { ElementHandle } from 'playwright-core';
import type { ActionResult, ScrollDirection } from '../browser.ts';
import { describeNode } from '../snapshot.ts';
import { DeadlineError, within } from '../../within.ts';
import { type ElementState, findObstacle, readElement, scrollInPage } from './element-in-page.ts';
import {
  type Failure,
  type PageSession,
  type Reaction,
  actAndWatch,
  blockedByDialog,
  done,
  failed,
  originOf,
  pageOf,
} from './page-session.ts';

/** An element action has two seconds; its parts share them. */
const ACT_MS = 1_200;
const REACT_MS = 1_900;

export async function click(session: PageSession, ref: string, signal: AbortSignal): Promise<ActionResult> {
  const found = await reachable(session, ref, signal);
  if (!('element' in found)) return found;
  const { element, node } = found;
  if (node.href !== undefined) {
    const target = URL.canParse(node.href, pageOf(session).url()) ? new URL(node.href, pageOf(session).url()) : null;
    if (target && /^https?:$/.test(target.protocol) && !session.isAllowed(target.href)) {
      return failed('origin_not_allowed', `The link leads to ${originOf(target.href)}, which this run may not use.`);
    }
  }
  const before = await state(element, signal);
  const reaction = await actAndWatch({
    session,
    budgetMs: REACT_MS,
    signal,
    act: () => element.click({ timeout: ACT_MS, noWaitAfter: true }),
  });
  if (reaction.kind !== 'same') return resultOf(reaction);
  const after = await state(element, signal);
  const changes = differences(before, after);
  if (changes !== '') return done('changed', `${describeNode(node)}: ${changes}.`);
  return done('nothing', `${describeNode(node)} was clicked; nothing visible changed.`);
}

export async function type(
  session: PageSession,
  ref: string,
  text: string,
  submit: boolean,
  signal: AbortSignal,
): Promise<ActionResult> {
  const found = await reachable(session, ref, signal);
  if (!('element' in found)) return found;
  const { element, node } = found;
  const before = await state(element, signal);
  if (!before?.editable) return failed('not_editable', `${describeNode(node)} takes no text.`);
  const filled = await actAndWatch({
    session,
    budgetMs: REACT_MS,
    signal,
    act: () => element.fill(text, { timeout: ACT_MS }),
  });
  if (filled.kind === 'failure') {
    return filled.failure.text.includes('Malformed value')
      ? failed('value_refused', 'The field wants another format, for example 2030-12-31 for a date.')
      : filled.failure;
  }
  const after = await state(element, signal);
  const kept = after?.value ?? null;
  if (kept !== null && kept.trim() !== text.trim() && (kept === '' || kept === before.value)) {
    return failed(
      'value_refused',
      `The page did not keep the text; the field holds ${kept === '' ? 'nothing' : 'what it held before'}.`,
      pageChanged(filled),
    );
  }
  const isSecret = node.value === '•••';
  const held =
    kept === null || kept.trim() === text.trim() || isSecret
      ? 'It holds the text.'
      : `The page made "${kept.slice(0, 100)}" of it.`;
  if (!submit) {
    if (filled.kind === 'effect' && filled.result.ok && filled.result.effect !== 'changed') return filled.result;
    const also = pageChanged(filled) ? ' The content of the page changed.' : '';
    return done('value_set', `${held}${also}`, pageChanged(filled));
  }
  const entered = await actAndWatch({
    session,
    budgetMs: REACT_MS,
    signal,
    act: () => element.press('Enter', { timeout: ACT_MS, noWaitAfter: true }),
  });
  if (entered.kind !== 'same') return resultOf(entered);
  return done('value_set', `${held} Enter was pressed; nothing else changed.`, pageChanged(filled));
}

export async function select(
  session: PageSession,
  ref: string,
  options: string[],
  signal: AbortSignal,
): Promise<ActionResult> {
  const found = await reachable(session, ref, signal);
  if (!('element' in found)) return found;
  const { element, node } = found;
  const before = await state(element, signal);
  if (!before?.isSelect) {
    return failed('not_a_select', `${describeNode(node)} is no select box: click it and then the option that appears.`);
  }
  const wanted = options.map(
    (option) => before.options.find((label) => label.toLowerCase() === option.trim().toLowerCase()) ?? option,
  );
  const missing = wanted.filter((option) => !before.options.includes(option));
  if (missing.length > 0) {
    return failed(
      'no_such_option',
      `There is no option "${missing[0]}". Options: ${before.options.slice(0, 30).join(', ')}`,
    );
  }
  const reaction = await actAndWatch({
    session,
    budgetMs: REACT_MS,
    signal,
    act: () =>
      element.selectOption(
        wanted.map((label) => ({ label })),
        { timeout: ACT_MS },
      ),
  });
  if (
    reaction.kind !== 'same' &&
    !(reaction.kind === 'effect' && reaction.result.ok && reaction.result.effect === 'changed')
  ) {
    return resultOf(reaction);
  }
  const chosen = (await state(element, signal))?.chosen ?? wanted;
  if (wanted.some((label) => !chosen.includes(label))) {
    return failed(
      'value_refused',
      `The page did not keep the choice; chosen is now: ${chosen.join(', ')}`,
      pageChanged(reaction),
    );
  }
  return done('value_set', `Chosen: ${chosen.join(', ')}.`, pageChanged(reaction));
}

export async function press(session: PageSession, key: string, signal: AbortSignal): Promise<ActionResult> {
  const reaction = await actAndWatch({
    session,
    budgetMs: REACT_MS,
    signal,
    act: (page) => within(page.keyboard.press(key), ACT_MS, signal),
  });
  if (reaction.kind === 'failure' && reaction.failure.text.includes('Unknown key')) {
    return failed('bad_key', `"${key}" is no key; write for example Enter, Escape, ArrowDown or Control+A.`);
  }
  return reaction.kind === 'same'
    ? done('nothing', `${key} was pressed; nothing visible changed.`)
    : resultOf(reaction);
}

export async function scroll(
  session: PageSession,
  direction: ScrollDirection,
  ref: string | null,
  signal: AbortSignal,
): Promise<ActionResult> {
  const blocked = blockedByDialog(session);
  if (blocked) return blocked;
  const found = ref === null ? null : await session.refs.resolve(ref);
  if (found && !('element' in found)) return found;
  const target = found?.element ?? (await pageOf(session).$('html'));
  if (!target) return failed('failed', 'The page has no content to scroll.');
  const { moved, atEnd } = await within(target.evaluate(scrollInPage, direction), REACT_MS, signal);
  if (moved === 0) return done('nothing', `It cannot scroll further ${direction}.`);
  return done('scrolled', `Scrolled ${direction} by ${moved} pixels${atEnd ? ', to the end' : ''}.`, true);
}

/** The element of a ref, scrolled into view and free to be used; or why not. */
async function reachable(session: PageSession, ref: string, signal: AbortSignal) {
  const blocked = blockedByDialog(session);
  if (blocked) return blocked;
  const found = await session.refs.resolve(ref);
  if (!('element' in found)) return found;
  const what = describeNode(found.node);
  try {
    const obstacle = await within(found.element.evaluate(findObstacle), ACT_MS, signal);
    switch (obstacle.kind) {
      case 'none':
        return found;
      case 'removed':
        return failed('stale_ref', `${ref} was ${what}; it has been removed from the page since.`);
      case 'hidden':
        return failed('hidden', `${what} has no visible place on the page.`);
      case 'disabled':
        return failed('disabled', `${what} is disabled.`);
      case 'covered':
    }
    return failed('covered', `${what} is covered by ${obstacle.by}.`);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof DeadlineError) return failed('timeout', 'The page does not answer.');
    return failed('stale_ref', `${ref} was ${what}; its document has been replaced since.`);
  }
}

async function state(element: ElementHandle, signal: AbortSignal): Promise<ElementState | null> {
  return within(element.evaluate(readElement), 500, signal).catch(() => null);
}

const pageChanged = (reaction: Reaction): boolean => reaction.kind === 'effect' && reaction.result.pageChanged;
const resultOf = (reaction: Exclude<Reaction, { kind: 'same' }>): ActionResult | Failure =>
  reaction.kind === 'failure' ? reaction.failure : reaction.result;

function differences(before: ElementState | null, after: ElementState | null): string {
  if (!before || !after) return '';
  const parts: string[] = [];
  if (before.checked !== after.checked) parts.push(after.checked === true ? 'now checked' : 'now unchecked');
  if (before.expanded !== after.expanded) parts.push(after.expanded === 'true' ? 'now expanded' : 'now collapsed');
  if (before.disabled !== after.disabled) parts.push(after.disabled ? 'now disabled' : 'now enabled');
  if (before.value !== after.value) parts.push('its value changed');
  return parts.join(', ');
}
