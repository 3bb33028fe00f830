import type { Page, Request } from 'playwright-core';

/** Knows whether a page is on its way to another document, so that nobody reads an interstitial or a half page. */
export interface NavigationWatch {
  pending(): boolean;
  /** Documents the main frame has committed so far. */
  commits(): number;
  /** Status of the last document, null when there was none. */
  lastStatus(): number | null;
}

export function watchNavigation(page: Page): NavigationWatch {
  let request: Request | null = null;
  let commits = 0;
  let status: number | null = null;
  const isDocument = (candidate: Request): boolean => {
    try {
      return candidate.isNavigationRequest() && candidate.frame() === page.mainFrame();
    } catch {
      // The frame of a request of a page that just opened is not known yet.
      return false;
    }
  };
  page.on('request', (started) => {
    if (isDocument(started)) request = started;
  });
  page.on('response', (response) => {
    if (response.request() === request) status = response.status();
  });
  page.on('requestfailed', (failed) => {
    if (failed === request) request = null;
  });
  page.on('framenavigated', (frame) => {
    if (frame !== page.mainFrame()) return;
    commits += 1;
    request = null;
  });
  return { pending: () => request !== null, commits: () => commits, lastStatus: () => status };
}
