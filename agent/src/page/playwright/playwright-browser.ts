import { type Browser, type BrowserContext, type Page, chromium } from 'playwright-core';
import { within } from '../../within.ts';
import { type AgentBrowser, BrowserLostError, type Observation } from '../browser.ts';
import { createDialogs } from './dialogs.ts';
import { click, press, scroll, select, type } from './element-actions.ts';
import { type NavigationWatch, watchNavigation } from './navigation-watch.ts';
import { answerDialog, back, extract, find, open, switchTab, waitFor } from './page-actions.ts';
import { type PageSession, collectWithRetry, originOf, pageOf } from './page-session.ts';
import { createRefs } from './refs.ts';
import { createTabs } from './tabs.ts';

export interface ConnectOptions {
  /** WebSocket address of a browser-level CDP endpoint. */
  endpoint: string;
  headers: Record<string, string>;
  /** Tab to continue in, as `currentTab()` gave it; null: the newest. */
  tab: string | null;
  /** Number of the first snapshot, above every number the model has seen in this run. */
  firstSnapshot: number;
  /** What the model should hear at its next look. */
  notices: string[];
  isAllowed: (url: string) => boolean;
  timeoutMs: number;
  now: () => number;
  signal: AbortSignal;
}

/** Attaches to a running browser. Throws BrowserLostError when it does not answer in time. */
export async function connectBrowser(options: ConnectOptions): Promise<AgentBrowser> {
  const { signal, timeoutMs } = options;
  let browser: Browser;
  try {
    // noDefaults: emulation, downloads and screen belong to the pod; a client must not override them.
    const connecting = chromium.connectOverCDP(options.endpoint, {
      headers: options.headers,
      noDefaults: true,
      timeout: timeoutMs,
    });
    connecting.then(
      (late) => (signal.aborted ? late.close() : undefined),
      () => undefined,
    );
    browser = await within(connecting, timeoutMs + 500, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new BrowserLostError('the browser does not accept a connection', { cause: error });
  }
  const context = browser.contexts()[0];
  if (!context) throw new BrowserLostError('the browser has no default context');
  try {
    const first = await pickTab(context, options.tab);
    return await attach(browser, context, first, options);
  } catch (error) {
    await browser.close().catch(() => {});
    throw new BrowserLostError('the browser gives no page', { cause: error });
  }
}

async function pickTab(context: BrowserContext, tab: string | null): Promise<Page> {
  const pages = context.pages();
  if (tab !== null) {
    for (const page of pages) if ((await targetOf(context, page)) === tab) return page;
  }
  return pages.findLast((page) => /^https?:/.test(page.url())) ?? pages.at(-1) ?? (await context.newPage());
}

async function targetOf(context: BrowserContext, page: Page): Promise<string | null> {
  try {
    const cdp = await context.newCDPSession(page);
    const { targetInfo } = await cdp.send('Target.getTargetInfo');
    await cdp.detach();
    return targetInfo.targetId;
  } catch {
    return null;
  }
}

async function attach(
  browser: Browser,
  context: BrowserContext,
  first: Page,
  options: ConnectOptions,
): Promise<AgentBrowser> {
  const dialogs = createDialogs();
  const navigations = new WeakMap<Page, NavigationWatch>();
  const targets = new WeakMap<Page, string>();
  const told = [...options.notices];
  let crashed = false;
  const tabs = createTabs({
    context,
    first,
    onCrash: () => (crashed = true),
    async prepare(page) {
      navigations.set(page, watchNavigation(page));
      dialogs.watch(page);
      // A page that is not in front would otherwise get no focus events, and forms behave differently without.
      const cdp = await context.newCDPSession(page);
      await cdp.send('Emulation.setFocusEmulationEnabled', { enabled: true });
      // Asked now, because a page that shows a dialog answers nothing.
      cdp.on('Page.javascriptDialogClosed', () => dialogs.forget(page));
      await cdp.send('Page.enable');
      targets.set(page, (await cdp.send('Target.getTargetInfo')).targetInfo.targetId);
    },
  });
  await first.bringToFront();
  const session: PageSession = {
    browser,
    tabs,
    dialogs,
    refs: createRefs(options.firstSnapshot),
    navigation: (page) => navigations.get(page) ?? watchNavigation(page),
    isAllowed: options.isAllowed,
    now: options.now,
  };

  const replaceCrashed = async (): Promise<string[]> => {
    if (!crashed && tabs.current()) return [];
    crashed = false;
    await tabs.switchTo(await context.newPage());
    return ['The page crashed or was closed; this is a new, empty tab.'];
  };

  const observe = async (signal: AbortSignal): Promise<Observation> => {
    const lost = browser.isConnected() ? await replaceCrashed() : [];
    const page = pageOf(session);
    const seen = { url: page.url(), dialog: dialogs.open(page), tabs: await describeTabs(tabs.all(), page) };
    const notices = [...told.splice(0), ...lost, ...tabs.takeNotices(), ...dialogs.takeNotices()];
    if (seen.dialog) return { ...seen, snapshot: null, notices };
    if (!session.isAllowed(page.url())) {
      notices.push(
        `The present page is on ${originOf(page.url())}, which this run may not use; it is not shown. Open another one.`,
      );
      return { ...seen, snapshot: null, notices };
    }
    return { ...seen, snapshot: session.refs.take(await collectWithRetry(page, signal)), notices };
  };

  return {
    observe,
    open: (url, signal) => open(session, url, signal),
    back: (signal) => back(session, signal),
    click: (ref, signal) => click(session, ref, signal),
    type: (ref, text, submit, signal) => type(session, ref, text, submit, signal),
    select: (ref, choices, signal) => select(session, ref, choices, signal),
    press: (key, signal) => press(session, key, signal),
    scroll: (direction, ref, signal) => scroll(session, direction, ref, signal),
    extract: (ref, from, signal) => extract(session, ref, from, signal),
    find: (words) => find(session, words),
    waitFor: (what, signal) => waitFor(session, what, signal),
    switchTab: (index) => switchTab(session, index),
    answerDialog: (accept, text) => answerDialog(session, accept, text),
    async screenshot(signal) {
      if (dialogs.open(pageOf(session))) return null;
      return within(pageOf(session).screenshot({ type: 'jpeg', quality: 60, timeout: 3_000 }), 3_200, signal).catch(
        () => null,
      );
    },
    currentTab() {
      const page = tabs.current();
      return (page && targets.get(page)) ?? null;
    },
    async close() {
      tabs.dispose();
      // Whoever attaches next could not answer it, and Playwright not even attach.
      const dismissing = tabs.all().map((page) => dialogs.answer(page, false, null));
      await within(Promise.all(dismissing), 1_000, AbortSignal.timeout(1_500)).catch(() => {});
      await browser.close();
    },
  };
}

async function describeTabs(pages: Page[], current: Page): Promise<Observation['tabs']> {
  return Promise.all(
    pages.map(async (page) => {
      // A title cannot be had while a dialog blocks the page.
      const title = await within(page.title(), 300, AbortSignal.timeout(1_000)).catch(() => '');
      return { title, url: page.url(), current: page === current };
    }),
  );
}
