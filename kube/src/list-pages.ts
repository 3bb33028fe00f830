import { isExpired } from './kube-error.ts';
import type { Query } from './query.ts';

const PAGE_SIZE = 500;

export interface ListOptions {
  resourceVersion?: string | undefined;
  /** Called when a page has come: a long list is getting on. */
  onPage?: (() => void) | undefined;
}

interface Page {
  items: unknown[];
  metadata: { resourceVersion: string; continue?: string };
}

/**
 * One list in pages of one moment. When that moment is compacted away before the last page (a slow list of a busy
 * server) it is asked for once more in one piece, since pages would fare no better.
 */
export async function listPages(
  selection: ListOptions & { labelSelector?: string | undefined; fieldSelector?: string | undefined },
  ask: (query: Query) => Promise<unknown>,
): Promise<{ items: unknown[]; resourceVersion: string }> {
  const { labelSelector, fieldSelector, resourceVersion } = selection;
  const items: unknown[] = [];
  let page: Page | undefined;
  do {
    // A cache read ignores the limit, so it is always one page.
    const query = page
      ? { labelSelector, fieldSelector, limit: PAGE_SIZE, continue: page.metadata.continue }
      : { labelSelector, fieldSelector, limit: PAGE_SIZE, resourceVersion };
    try {
      page = (await ask(query)) as Page;
    } catch (error) {
      if (!page || !isExpired(error)) throw error;
      items.length = 0;
      page = (await ask({ labelSelector, fieldSelector })) as Page;
    }
    items.push(...page.items);
    selection.onPage?.();
  } while (page.metadata.continue);
  return { items, resourceVersion: page.metadata.resourceVersion };
}
