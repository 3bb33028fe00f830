import { describe, expect, test } from 'vitest';
import type { RunRecord } from '@podwright/api/run';
import { echoAfter, echoOf } from './echo.ts';
import { runBudget } from './run-budget.ts';

const run = { steps: 3, inputTokens: 10, outputTokens: 5, modelCostMicroUsd: 700 } as RunRecord;

describe('what a conversation keeps', () => {
  test('a country comes back in lower case', () => {
    expect(echoOf({ proxyCountryCode: 'US' }).proxyCountryCode).toBe('us');
  });
  test('a follow-up overwrites only what it sends, and the finished run joins the sums', () => {
    const before = echoOf({ thinkingLevel: 'low', browserScreenWidth: 800, browserScreenHeight: 600 });
    const after = echoAfter(before, { thinkingLevel: 'high', task: 'x' }, run);
    expect(after).toMatchObject({ thinkingLevel: 'high', browserScreenWidth: 800 });
    expect(after.carried).toMatchObject({ steps: 3, inputTokens: 10, outputTokens: 5, modelMicroUsd: 700 });
  });
  test('the output schema of one task is not that of the next', () => {
    expect(echoAfter(echoOf({ outputSchema: { type: 'object' } }), { task: 'x' }, null).outputSchema).toBeNull();
  });
});

describe('the cap of a run', () => {
  const none = { asked: null, spentBefore: 0, keyCap: null, perRun: null, leftToday: null, leftThisMonth: null };
  test.each([
    ['nothing set gives no cap', none, null],
    ['what was asked', { ...none, asked: 500 }, 500],
    ['what is left of it after earlier runs', { ...none, asked: 500, spentBefore: 200 }, 300],
    ['the least of all', { ...none, asked: 500, keyCap: 400, perRun: 250, leftToday: 900 }, 250],
    ['what is left of the month', { ...none, perRun: 250, leftThisMonth: 10 }, 10],
  ])('%s', (_name, facts, expected) => {
    expect(runBudget(facts)).toBe(expected);
  });
  test.each([
    ['of the session', { ...none, asked: 500, spentBefore: 500 }],
    ['of the day', { ...none, leftToday: 0 }],
    ['of the month', { ...none, leftThisMonth: -1 }],
  ])('a budget %s that is used up refuses', (_name, facts) => {
    expect(() => runBudget(facts)).toThrow(/used up/);
  });
});
