import type { PageElement, PageWindow } from './dom.ts';

/** Functions that run in a page on one element. Each names nothing outside itself. */

export type Obstacle =
  | { kind: 'none' }
  | { kind: 'removed' }
  | { kind: 'hidden' }
  | { kind: 'disabled' }
  | { kind: 'covered'; by: string };

/** Scrolls the element into view and says what keeps a click from reaching it. */
export function findObstacle(element: PageElement): Obstacle {
  const page = globalThis as unknown as PageWindow;
  if (!element.isConnected) return { kind: 'removed' };
  if (
    element.disabled === true ||
    element.closest('fieldset[disabled]') !== null ||
    element.getAttribute('aria-disabled') === 'true'
  ) {
    return { kind: 'disabled' };
  }
  if (!element.checkVisibility({ visibilityProperty: true })) return { kind: 'hidden' };
  const inside = (box: { top: number; bottom: number; left: number; right: number }) =>
    box.top >= 0 && box.left >= 0 && box.bottom <= page.innerHeight && box.right <= page.innerWidth;
  if (!inside(element.getBoundingClientRect())) {
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  }
  const box = element.getBoundingClientRect();
  if (box.width === 0 || box.height === 0) return { kind: 'hidden' };
  const hit = element.getRootNode().elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  if (hit === null) return { kind: 'none' };
  const label = element.closest('label');
  const reaches =
    element === hit || element.contains(hit) || hit.contains(element) || (label !== null && label.contains(hit));
  // Inline elements over several lines have a centre that is not theirs; the click itself finds a point.
  if (reaches || page.getComputedStyle(element).display === 'inline') return { kind: 'none' };
  const text = (hit.innerText ?? '').replace(/\s+/g, ' ').trim().slice(0, 60);
  return { kind: 'covered', by: `${hit.tagName.toLowerCase()}${text === '' ? '' : ` "${text}"`}` };
}

export interface ElementState {
  value: string | null;
  checked: boolean | null;
  expanded: string | null;
  disabled: boolean;
  /** Whether it takes text. */
  editable: boolean;
  isSelect: boolean;
  options: string[];
  chosen: string[];
}

export function readElement(element: PageElement): ElementState {
  const editable = element.isContentEditable === true;
  const isField = element.tagName === 'INPUT' || element.tagName === 'TEXTAREA';
  const takesText =
    editable || (isField && !/^(button|submit|reset|checkbox|radio|file|image|hidden)$/.test(element.type ?? ''));
  const isSelect = element.tagName === 'SELECT';
  return {
    value: editable ? (element.innerText ?? '') : isField || isSelect ? (element.value ?? '') : null,
    checked: typeof element.checked === 'boolean' && isField ? element.checked : null,
    expanded: element.getAttribute('aria-expanded'),
    disabled: element.disabled === true,
    editable: takesText,
    isSelect,
    options: isSelect ? Array.from(element.options ?? []).map((option) => option.label.trim()) : [],
    chosen: isSelect ? Array.from(element.selectedOptions ?? []).map((option) => option.label.trim()) : [],
  };
}

/** Scrolls the nearest thing around an element that scrolls, at last the page. `moved` in pixels. */
export function scrollInPage(element: PageElement, direction: string): { moved: number; atEnd: boolean } {
  const page = globalThis as unknown as PageWindow;
  const root = page.document.scrollingElement ?? page.document.documentElement;
  let box: PageElement = root;
  for (let at: PageElement | null = element; at !== null; at = at.parentElement) {
    const { overflowY, overflowX } = page.getComputedStyle(at);
    const scrolls = /auto|scroll/.test(`${overflowY} ${overflowX}`);
    if (scrolls && (at.scrollHeight > at.clientHeight + 1 || at.scrollWidth > at.clientWidth + 1)) {
      box = at;
      break;
    }
  }
  const before = { top: box.scrollTop, left: box.scrollLeft };
  const height = (box === root ? page.innerHeight : box.clientHeight) * 0.85;
  const width = (box === root ? page.innerWidth : box.clientWidth) * 0.85;
  const far = 10_000_000;
  const by = {
    up: { left: 0, top: -height },
    down: { left: 0, top: height },
    left: { left: -width, top: 0 },
    right: { left: width, top: 0 },
    top: { left: 0, top: -far },
    bottom: { left: 0, top: far },
  }[direction] ?? { left: 0, top: 0 };
  box.scrollBy({ ...by, behavior: 'instant' });
  const moved = Math.abs(box.scrollTop - before.top) + Math.abs(box.scrollLeft - before.left);
  const atEnd = box.scrollTop + (box === root ? page.innerHeight : box.clientHeight) >= box.scrollHeight - 2;
  return { moved: Math.round(moved), atEnd };
}

/** Resolves when the document was not changed for `quietMs`, at the latest after `mostMs`. */
export function waitUntilQuiet(times: { quietMs: number; mostMs: number }): Promise<void> {
  const page = globalThis as unknown as PageWindow;
  return new Promise((resolve) => {
    const done = (): void => {
      observer.disconnect();
      page.clearTimeout(quiet);
      page.clearTimeout(most);
      resolve();
    };
    let quiet = page.setTimeout(done, times.quietMs);
    const most = page.setTimeout(done, times.mostMs);
    const observer = new page.MutationObserver(() => {
      page.clearTimeout(quiet);
      quiet = page.setTimeout(done, times.quietMs);
    });
    observer.observe(page.document.documentElement, {
      childList: true,
      subtree: true,
      attributes: true,
      characterData: true,
    });
  });
}
