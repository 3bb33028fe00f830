import type { Dialog, Page } from 'playwright-core';
import type { OpenDialog } from '../browser.ts';

/**
 * Dialogs block a page until they are answered. Alerts and the question whether to leave a page are answered at once
 * and reported; confirm and prompt wait for the model.
 */
export interface Dialogs {
  watch(page: Page): void;
  open(): OpenDialog | null;
  answer(accept: boolean, text: string | null): Promise<boolean>;
  takeNotices(): string[];
  /** Resolves when a dialog opens that waits for an answer. */
  opened(signal: AbortSignal): Promise<void>;
}

export function createDialogs(): Dialogs {
  let waiting: { dialog: Dialog; page: Page } | null = null;
  const notices: string[] = [];
  const listeners = new Set<() => void>();

  return {
    watch(page) {
      page.on('dialog', (dialog) => {
        const type = dialog.type();
        if (type === 'alert' || type === 'beforeunload') {
          notices.push(
            type === 'alert'
              ? `The page showed an alert: "${dialog.message()}"`
              : 'The page asked whether to leave it; it was left.',
          );
          dialog.accept().catch(() => {});
          return;
        }
        waiting = { dialog, page };
        for (const listener of listeners) listener();
      });
      page.on('close', () => {
        if (waiting?.page === page) waiting = null;
      });
    },
    open() {
      if (!waiting) return null;
      return { type: waiting.dialog.type() as OpenDialog['type'], message: waiting.dialog.message() };
    },
    async answer(accept, text) {
      if (!waiting) return false;
      const { dialog } = waiting;
      waiting = null;
      await (accept ? dialog.accept(text ?? undefined) : dialog.dismiss());
      return true;
    },
    takeNotices: () => notices.splice(0),
    opened: (signal) =>
      new Promise((resolve) => {
        if (waiting) {
          resolve();
          return;
        }
        const listener = (): void => {
          listeners.delete(listener);
          resolve();
        };
        listeners.add(listener);
        signal.addEventListener('abort', () => listeners.delete(listener), { once: true });
      }),
  };
}
