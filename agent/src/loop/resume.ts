import type { JournalEntry } from '@podwright/runs/attempts';
import type { Outcome, Reply, StepRecord } from './step-record.ts';

/** Notes of the journal beside intents, outcomes and finished steps. */
export type Note =
  | { type: 'goal'; goal: string }
  | { type: 'pod'; podUid: string }
  | { type: 'reply'; reply: Reply; snapshot: number; url: string; page: string; tab: string | null };

/** What an earlier attempt left behind. */
export interface Resumed {
  steps: StepRecord[];
  goal: string | null;
  podUid: string | null;
  tab: string | null;
  /** Highest snapshot number the model has seen. */
  snapshot: number;
}

const LOST = 'The worker was lost while it did this. It may have happened or not.';

/**
 * Rebuilds the steps of a run from its journal. A step that was not finished becomes a finished one: an action with an
 * intent but no outcome is unknown, what came after it is left out. Nothing of it is ever done again by itself.
 */
export function resumeFrom(entries: readonly JournalEntry[]): Resumed {
  const resumed: Resumed = { steps: [], goal: null, podUid: null, tab: null, snapshot: 0 };
  let open: (StepRecord & { begun: Set<number> }) | null = null;

  const close = (): void => {
    if (!open) return;
    const { begun, ...step } = open;
    const outcomes = step.actions.map<Outcome>(
      (_, index) =>
        step.outcomes[index] ?? (begun.has(index) ? { status: 'unknown', text: LOST } : { status: 'skipped' }),
    );
    resumed.steps.push({ ...step, outcomes });
    open = null;
  };

  for (const entry of entries) {
    switch (entry.kind) {
      case 'note': {
        const note = entry.data as Note;
        if (note.type === 'goal') resumed.goal = note.goal;
        else if (note.type === 'pod') resumed.podUid = note.podUid;
        else {
          close();
          const { reply, snapshot, url, page, tab } = note;
          open = { ...reply, step: entry.step, snapshot, url, page, outcomes: [], begun: new Set() };
          resumed.tab = tab;
          resumed.snapshot = Math.max(resumed.snapshot, snapshot);
        }
        break;
      }
      case 'intent':
        if (open && entry.action !== undefined) open.begun.add(entry.action);
        break;
      case 'outcome':
        if (open && entry.action !== undefined) open.outcomes[entry.action] = entry.data as Outcome;
        break;
      case 'step':
        close();
        break;
    }
  }
  close();
  return resumed;
}
