import type { Viewport } from '@podwright/api/kinds/session';
import type { PageOverrides } from './page-overrides.ts';

/** The screen, the window and the page, in pixels, so that the picture of a viewer and the page agree. */
export interface Layout {
  /** X screen and browser window. */
  window: Viewport;
  page: PageOverrides['viewport'];
}

/**
 * Where a page of `wanted` size goes on a screen of at most `max`: the window adds the browser's own bars of `barsHeight`,
 * and a page that does not fit is drawn smaller, in proportion. `null` is the browser's default: all of the screen. Pure.
 */
export function layoutFor(wanted: Viewport | null, max: Viewport, barsHeight: number): Layout {
  if (wanted === null) return { window: max, page: null };
  const window = {
    width: Math.min(wanted.width, max.width),
    height: Math.min(wanted.height + barsHeight, max.height),
  };
  const scale = Math.min(1, window.width / wanted.width, (window.height - barsHeight) / wanted.height);
  return { window, page: { ...wanted, scale } };
}

/** What a size is applied through. */
export interface ViewportActions {
  setScreen(size: Viewport): Promise<void>;
  /** Sets the window and returns the size it really has: Chromium has a least width. */
  setWindow(size: Viewport): Promise<Viewport>;
  /** Applies the override to every page and returns the size that the newest page reports. */
  setPages(viewport: PageOverrides['viewport']): Promise<Viewport>;
}

export interface ViewportOwner {
  /** Makes the page this size. Only the newest of the waiting sizes is applied; all waiters get its result. */
  set(viewport: Viewport | null): Promise<Viewport>;
  /** Applies the current size again, after a client that had set one of its own left. */
  reapply(): Promise<void>;
  /** Size that the page reported last; null before it was asked. */
  readonly current: Viewport | null;
  readonly wanted: Viewport | null;
}

export function createViewportOwner(options: {
  max: Viewport;
  barsHeight: () => number;
  actions: ViewportActions;
  failed: (words: string, error: unknown) => void;
}): ViewportOwner {
  const { actions, max } = options;
  let wanted: Viewport | null = null;
  let current: Viewport | null = null;
  let screen: Viewport = max;
  let touched = false;
  /** Size of the window as far as known; the launcher starts it as large as the screen. A client may have changed it. */
  let window: Viewport | undefined = max;
  let running: Promise<Viewport> | undefined;
  let next: Promise<Viewport> | undefined;

  async function fitScreen(size: Viewport): Promise<void> {
    const bounded = { width: Math.min(size.width, max.width), height: Math.min(size.height, max.height) };
    if (same(bounded, screen)) return;
    await actions.setScreen(bounded);
    screen = bounded;
  }

  async function fitWindow(size: Viewport): Promise<void> {
    if (window !== undefined && same(size, window)) return;
    window = undefined;
    try {
      await fitScreen(size);
      const real = await actions.setWindow(size);
      await fitScreen({ width: Math.max(real.width, size.width), height: Math.max(real.height, size.height) });
      window = size;
    } catch (error) {
      // The page still gets its size; only the picture around it may be larger.
      options.failed('the screen could not be fitted to the page', error);
    }
  }

  async function applyOnce(): Promise<Viewport> {
    const layout = layoutFor(wanted, max, options.barsHeight());
    const fitted = fitWindow(layout.window);
    // A page of the default size follows its window; any other has its own, and neither waits for the other.
    if (layout.page === null) await fitted;
    [current] = await Promise.all([actions.setPages(layout.page), fitted]);
    return current;
  }

  async function apply(): Promise<Viewport> {
    if (next) return next;
    if (!running) {
      running = applyOnce().finally(() => {
        running = undefined;
      });
      return running;
    }
    next = running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return apply();
      });
    return next;
  }

  return {
    async set(viewport) {
      wanted = viewport;
      touched = true;
      return apply();
    },
    async reapply() {
      window = undefined;
      if (touched) await apply();
    },
    get current() {
      return current;
    },
    get wanted() {
      return wanted;
    },
  };
}

const same = (a: Viewport, b: Viewport): boolean => a.width === b.width && a.height === b.height;
