import type { Log } from '@podwright/kube/reflector';

/** Work that outlives the pass that asked for it: one at a time by name, ended with the process. */
export interface Background {
  /** Starts `work` unless it runs already; failures are logged. */
  start(name: string, work: (signal: AbortSignal) => Promise<void>): void;
  /** Ends one, for example because its pod is gone. */
  cancel(name: string): void;
  stop(): Promise<void>;
}

export function createBackground(options: { log: Log }): Background {
  const running = new Map<string, { abort: AbortController; done: Promise<void> }>();
  return {
    start(name, work) {
      if (running.has(name)) return;
      const abort = new AbortController();
      const done = work(abort.signal)
        .catch((error: unknown) => {
          if (!abort.signal.aborted) options.log.warn({ err: error, work: name }, 'background work failed');
        })
        .finally(() => running.delete(name));
      running.set(name, { abort, done });
    },
    cancel(name) {
      running.get(name)?.abort.abort(new Error('cancelled'));
    },
    async stop() {
      const all = [...running.values()];
      for (const { abort } of all) abort.abort(new Error('the process stops'));
      await Promise.all(all.map(({ done }) => done));
    },
  };
}
