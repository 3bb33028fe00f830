import type { Dialog, Page } from 'playwright-core';
import type { OpenDialog } from '../browser.ts';

/**
 * Dialogs block their page until they are answered. Alerts and the question whether to leave a page are answered at once
 * and reported; confirm and prompt wait for the model. One of another tab waits without blocking the present one.
 */
export interface Dialogs {
  watch(page: Page): void;
  open(page: Page): OpenDialog | null;
  /** False: there was none. */
  answer(page: Page, accept: boolean, text: string | null): Promise<boolean>;
  /** Somebody else answered it: a person in the viewer, or the page went away. */
  forget(page: Page): void;
  takeNotices(): string[];
  /** Resolves when a dialog of the page waits for an answer. */
  opened(page: Page, signal: AbortSignal): Promise<void>;
}

export function createDialogs(): Dialogs {
  const waiting = new Map<Page, Dialog>();
  const notices: string[] = [];
  const listeners = new Set<(page: Page) => void>();

  return {
    watch(page) {
      page.on('dialog', (dialog) => {
        const type = dialog.type();
        if (type === 'alert' || type === 'beforeunload') {
          const told = `The page showed an alert: "${dialog.message()}"`;
          notices.push(type === 'alert' ? told : 'The page asked whether to leave it; it was left.');
          dialog.accept().catch(() => {});
          return;
        }
        waiting.set(page, dialog);
        for (const listener of listeners) listener(page);
      });
      page.on('close', () => waiting.delete(page));
    },
    open(page) {
      const dialog = waiting.get(page);
      return dialog ? { type: dialog.type() as OpenDialog['type'], message: dialog.message() } : null;
    },
    async answer(page, accept, text) {
      const dialog = waiting.get(page);
      if (!dialog) return false;
      waiting.delete(page);
      await (accept ? dialog.accept(text ?? undefined) : dialog.dismiss());
      return true;
    },
    forget: (page) => {
      waiting.delete(page);
    },
    takeNotices: () => notices.splice(0),
    opened: (page, signal) =>
      new Promise((resolve) => {
        if (waiting.has(page)) {
          resolve();
          return;
        }
        const listener = (at: Page): void => {
          if (at !== page) return;
          listeners.delete(listener);
          resolve();
        };
        listeners.add(listener);
        signal.addEventListener('abort', () => listeners.delete(listener), { once: true });
      }),
  };
}
