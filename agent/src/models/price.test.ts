import { expect, test } from 'vitest';
import { affordableOutput, costOf, guessTokens } from './price.ts';

const PRICE = { input: '3', cachedInput: '0.30', output: '15' };

test.each([
  ['nothing costs nothing', { input: 0, cachedInput: 0, output: 0 }, 0],
  ['a million input tokens cost the listed price', { input: 1_000_000, cachedInput: 0, output: 0 }, 3_000_000],
  ['cached input is cheaper', { input: 1_000, cachedInput: 900, output: 0 }, 570],
  ['output has its own price', { input: 0, cachedInput: 0, output: 10 }, 150],
  ['a part of a micro-USD is rounded up', { input: 1, cachedInput: 1, output: 0 }, 1],
  ['more cached than read is taken as all cached', { input: 10, cachedInput: 20, output: 0 }, 3],
])('%s', (_, usage, expected) => {
  expect(costOf(usage, PRICE)).toBe(expected);
});

test.each([
  ['without a cap the answer may have its full length', null, 1_000, 4_000],
  ['with enough money too', 1_000_000, 1_000, 4_000],
  ['with less money it is shorter', 3_000 + 15 * 500, 1_000, 500],
  ['when only a useless answer fits, none is asked for', 3_000 + 15 * 100, 1_000, null],
  ['when the prompt alone is too dear, none is asked for', 2_999, 1_000, null],
])('%s', (_, left, input, expected) => {
  expect(affordableOutput(left, input, 4_000, PRICE)).toBe(expected);
});

test('a model that costs nothing never meets a cap', () => {
  expect(affordableOutput(0, 5_000, 4_000, { input: '0', cachedInput: '0', output: '0' })).toBe(4_000);
});

test('other scripts count more than Latin text', () => {
  expect(guessTokens('abcdef')).toBe(2);
  expect(guessTokens('價格')).toBe(2);
});
