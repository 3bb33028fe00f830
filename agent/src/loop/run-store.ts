import type { Attempts, JournalEntry, RunKey, RunPatch } from '@podwright/runs/attempts';
import type { NewMessage } from '@podwright/runs/encoding';
import type { Note } from './resume.ts';
import type { Outcome } from './step-record.ts';

/**
 * Everything one attempt writes about its run. Each write is fenced: it throws SupersededError once another worker has
 * taken over or the run has ended, and waits for Redis only as long as `signal` allows.
 */
export interface RunStore {
  journal(): Promise<JournalEntry[]>;
  note(step: number, note: Note): Promise<void>;
  intent(step: number, action: number, data: { tool: string }): Promise<void>;
  outcome(step: number, action: number, outcome: Outcome): Promise<void>;
  finishStep(step: number): Promise<void>;
  commit(patch: RunPatch, messages?: NewMessage[]): Promise<void>;
}

export function createRunStore(options: {
  attempts: Attempts;
  key: RunKey;
  attempt: number;
  signal: AbortSignal;
}): RunStore {
  const { attempts, key, attempt, signal } = options;
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  aborted.catch(() => {});
  const guarded = async <T>(work: Promise<T>): Promise<T> => {
    work.catch(() => {});
    signal.throwIfAborted();
    return Promise.race([work, aborted]);
  };
  const append = (entry: Omit<JournalEntry, 'attempt'>) => guarded(attempts.journal(key, { attempt, ...entry }));

  return {
    journal: () => guarded(attempts.readJournal(key)),
    note: (step, note) => append({ kind: 'note', step, data: note }),
    intent: (step, action, data) => append({ kind: 'intent', step, action, data }),
    outcome: (step, action, outcome) => append({ kind: 'outcome', step, action, data: outcome }),
    finishStep: (step) => append({ kind: 'step', step, data: null }),
    commit: (patch, messages) => guarded(attempts.commit(key, attempt, patch, messages)),
  };
}
