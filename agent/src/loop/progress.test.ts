import { expect, test } from 'vitest';
import { judgeProgress } from './progress.ts';
import type { Outcome, StepRecord } from './step-record.ts';

const OK: Outcome = { status: 'ok', effect: 'changed', text: '', pageChanged: true };
const BAD: Outcome = { status: 'error', code: 'hidden', text: '', pageChanged: false };
const step = (page: string, ref: string, outcome: Outcome = OK, tool = 'click'): StepRecord => ({
  step: 1,
  snapshot: 1,
  url: '',
  page,
  seen: '',
  plan: '',
  next: '',
  actions: [{ tool, parameters: { ref } }],
  outcomes: [outcome],
});
const times = (count: number, make: (index: number) => StepRecord) =>
  Array.from({ length: count }, (_, index) => make(index));

test.each<[string, StepRecord[], string]>([
  ['no step yet is fine', [], 'fine'],
  ['two same clicks are fine', times(2, () => step('a', 's1e1')), 'fine'],
  ['three same clicks on one page are nudged', times(3, () => step('a', 's1e1')), 'nudge'],
  ['five end the run', times(5, () => step('a', 's1e1')), 'stuck'],
  ['a new snapshot of the same page is no excuse', times(5, (index) => step('a', `s${index}e1`)), 'stuck'],
  ['going to and fro is noticed', times(9, (index) => step(index % 2 ? 'a' : 'b', 's1e1')), 'stuck'],
  ['the same control on new pages is progress', times(9, (index) => step(`page ${index}`, 's1e1')), 'fine'],
  ['three failing steps are nudged', times(3, (index) => step('a', `s1e${index}`, BAD)), 'nudge'],
  ['six failing steps end the run', times(6, (index) => step('a', `s1e${index}`, BAD)), 'stuck'],
  [
    'one success in between is enough',
    [...times(4, (index) => step('a', `s1e${index}`, BAD)), step('a', 's1e9')],
    'fine',
  ],
  ['waiting is patient', times(9, () => step('a', '', OK, 'wait_for')), 'fine'],
  ['waiting does not go on for ever', times(30, () => step('a', '', OK, 'wait_for')), 'stuck'],
])('%s', (_, steps, kind) => {
  expect(judgeProgress(steps).kind).toBe(kind);
});
