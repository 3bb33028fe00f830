import type { JournalEntry } from '@podwright/runs/attempts';
import { expect, test } from 'vitest';
import { resumeFrom } from './resume.ts';
import type { Outcome, Reply } from './step-record.ts';

const reply: Reply = {
  seen: 's',
  plan: 'p',
  next: 'n',
  actions: [
    { tool: 'type', parameters: { ref: 's4e1', text: 'x' } },
    { tool: 'click', parameters: { ref: 's4e2' } },
    { tool: 'back', parameters: {} },
  ],
};
const OK: Outcome = { status: 'ok', effect: 'value_set', text: 'It holds the text.', pageChanged: false };
const entry = (kind: JournalEntry['kind'], data: unknown, action?: number): JournalEntry => ({
  kind,
  attempt: 1,
  step: 1,
  data,
  ...(action === undefined ? {} : { action }),
});
const begun = entry('note', { type: 'reply', reply, snapshot: 4, url: 'u', page: 'h', tab: 'T1' });
const statuses = (entries: JournalEntry[]) =>
  resumeFrom(entries).steps.map((step) => step.outcomes.map((outcome) => outcome.status));

test.each<[string, JournalEntry[], string[][]]>([
  ['nothing was written', [], []],
  ['only the reply was written', [begun], [['skipped', 'skipped', 'skipped']]],
  ['an action was begun', [begun, entry('intent', {}, 0)], [['unknown', 'skipped', 'skipped']]],
  ['an action was finished', [begun, entry('intent', {}, 0), entry('outcome', OK, 0)], [['ok', 'skipped', 'skipped']]],
  [
    'the second action was begun',
    [begun, entry('intent', {}, 0), entry('outcome', OK, 0), entry('intent', {}, 1)],
    [['ok', 'unknown', 'skipped']],
  ],
  [
    'the step was finished',
    [begun, entry('intent', {}, 0), entry('outcome', OK, 0), entry('step', null)],
    [['ok', 'skipped', 'skipped']],
  ],
  [
    'a later worker was lost as well',
    [begun, entry('intent', {}, 0), begun, entry('intent', {}, 0), entry('outcome', OK, 0)],
    [
      ['unknown', 'skipped', 'skipped'],
      ['ok', 'skipped', 'skipped'],
    ],
  ],
])('when %s, the steps say so', (_, entries, expected) => {
  expect(statuses(entries)).toEqual(expected);
});

test('goal, pod, tab and the last snapshot number come back', () => {
  const entries = [entry('note', { type: 'goal', goal: 'g' }), entry('note', { type: 'pod', podUid: 'P' }), begun];
  expect(resumeFrom(entries)).toMatchObject({ goal: 'g', podUid: 'P', tab: 'T1', snapshot: 4 });
});
