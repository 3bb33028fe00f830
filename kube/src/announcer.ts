import type { Log } from './reflector.ts';
import type { Change } from './store.ts';

/**
 * Called in order of registration for every change, one change after the other. What it throws, or rejects with, is
 * logged and goes no further; nobody waits for a promise that it returns.
 */
export type ChangeHandler<T> = (change: Change<T>) => void;

/** Tells changes to handlers so that all of them hear the same story, whatever a handler does meanwhile. */
export interface Announcer<T> {
  /** A change made by a handler (an own write put into the cache) is told after the one that it is being told. */
  publish(changes: readonly Change<T>[]): void;
  /** What is `known` arrives as `added` at once; returns how to take the handler away. */
  add(handler: ChangeHandler<T>, known: readonly T[]): () => void;
  /** Nothing is told any more. */
  close(): void;
}

export function createAnnouncer<T>(options: { kind: string; log: Log }): Announcer<T> {
  /** `since`: changes up to this number are part of what the handler knew when it was added. */
  const entries: { handler: ChangeHandler<T>; since: number }[] = [];
  let waiting: Change<T>[] = [];
  let published = 0;
  let telling = false;
  let closed = false;

  function tell(handler: ChangeHandler<T>, change: Change<T>): void {
    const failed = (error: unknown): void =>
      options.log.error({ err: error, kind: options.kind, change: change.type }, 'a change handler threw');
    try {
      // A handler may be an async function all the same: its rejection must not end the process.
      const result: unknown = handler(change);
      if (result instanceof Promise) result.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  return {
    publish(changes) {
      if (closed) return;
      waiting.push(...changes);
      published += changes.length;
      if (telling) return;
      telling = true;
      for (let at = 0; at < waiting.length; at += 1) {
        const number = published - waiting.length + at + 1;
        for (const entry of Array.from(entries)) {
          if (entry.since < number && entries.includes(entry)) tell(entry.handler, waiting[at]!);
        }
      }
      waiting = [];
      telling = false;
    },
    add(handler, known) {
      const entry = { handler, since: published };
      entries.push(entry);
      for (const object of known) tell(handler, { type: 'added', object });
      return () => {
        const at = entries.indexOf(entry);
        if (at !== -1) entries.splice(at, 1);
      };
    },
    close() {
      closed = true;
      waiting = [];
      entries.length = 0;
    },
  };
}
