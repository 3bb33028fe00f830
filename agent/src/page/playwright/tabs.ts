import type { BrowserContext, Page } from 'playwright-core';

/** Which page the run works on: it follows a tab that its page opens, and falls back when a tab closes. */
export interface Tabs {
  current(): Page | null;
  all(): Page[];
  switchTo(page: Page): Promise<void>;
  /** A tab opened by the current one since the last call. */
  takeOpened(): Page | null;
  takeNotices(): string[];
  dispose(): void;
}

export function createTabs(options: {
  context: BrowserContext;
  first: Page;
  /** Called once for every page, present and future, before anything is done with it. */
  prepare: (page: Page) => Promise<void>;
  onCrash: () => void;
}): Tabs {
  const { context } = options;
  let current: Page = options.first;
  let opened: Page | null = null;
  const notices: string[] = [];

  const watch = (page: Page): void => {
    page.on('crash', options.onCrash);
    page.on('close', () => {
      if (page !== current) return;
      const rest = context.pages().at(-1);
      if (!rest) return;
      current = rest;
      notices.push('The tab was closed; this is the one that is left.');
    });
    options.prepare(page).catch(() => {
      // A page that is gone before it is prepared needs nothing.
    });
  };
  const onPage = (page: Page): void => {
    watch(page);
    void page.opener().then((opener) => {
      // Only the page that is worked on is followed: an advertisement elsewhere must not take the run away.
      if (opener === current) opened = page;
      return undefined;
    }, ignoreClosedPage);
  };

  for (const page of context.pages()) watch(page);
  context.on('page', onPage);
  return {
    current: () => (current.isClosed() ? null : current),
    all: () => context.pages(),
    async switchTo(page) {
      current = page;
      await page.bringToFront();
    },
    takeOpened() {
      const page = opened;
      opened = null;
      return page !== null && page.isClosed() ? null : page;
    },
    takeNotices: () => notices.splice(0),
    dispose: () => {
      context.off('page', onPage);
    },
  };
}

const ignoreClosedPage = (): void => {};
