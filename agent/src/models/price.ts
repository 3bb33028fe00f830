import type { ModelEntry } from '@podwright/api/models';
import { type MicroUsd, parseUsd } from '@podwright/api/money';

/** Tokens of one or more calls. `input` includes `cachedInput`. */
export interface Usage {
  input: number;
  cachedInput: number;
  output: number;
}

export const NO_USAGE: Usage = { input: 0, cachedInput: 0, output: 0 };

export const addUsage = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  cachedInput: a.cachedInput + b.cachedInput,
  output: a.output + b.output,
});

/** What tokens cost by the price table; a part of a micro-USD is rounded up. */
export function costOf(usage: Usage, price: ModelEntry['price']): MicroUsd {
  const cached = Math.min(usage.cachedInput, usage.input);
  const total =
    (usage.input - cached) * parseUsd(price.input) +
    cached * parseUsd(price.cachedInput) +
    usage.output * parseUsd(price.output);
  return Math.ceil(total / 1_000_000);
}

/** Below this many tokens an answer is not worth asking for. */
const USEFUL_OUTPUT = 256;

/**
 * How many output tokens a call may use so that the cap holds whatever the model answers; null when nothing useful fits.
 * `left` is the money that may still be spent, null without a cap; `input` an upper guess of the tokens of the prompt.
 */
export function affordableOutput(
  left: MicroUsd | null,
  input: number,
  most: number,
  price: ModelEntry['price'],
): number | null {
  if (left === null) return most;
  const rest = left - costOf({ input, cachedInput: 0, output: 0 }, price);
  const perMillion = parseUsd(price.output);
  if (rest < 0 || (rest === 0 && perMillion > 0)) return null;
  const fits = perMillion === 0 ? most : Math.floor((rest * 1_000_000) / perMillion);
  return fits < USEFUL_OUTPUT ? null : Math.min(fits, most);
}

/** Upper guess of the tokens of a text: about three characters each, more for scripts other than Latin. */
export function guessTokens(text: string): number {
  let tokens = 0;
  for (const character of text) tokens += character.charCodeAt(0) < 0x250 ? 1 / 3 : 1;
  return Math.ceil(tokens);
}
