/**
 * Money is a whole number of micro-USD inside, a decimal string outside.
 * Floats never hold a sum: `0.1 + 0.2` is not a bill.
 */

/** Micro-USD: 1 USD = 1_000_000. Always a safe integer. */
export type MicroUsd = number;

/** Decimal strings accepted from users: no exponent, six decimals at most. */
export const MONEY_PATTERN = '^[0-9]+(\\.[0-9]{1,6})?$';

/** Parses a decimal string or number of USD; throws a RangeError that names the value. */
export function parseUsd(value: string | number): MicroUsd {
  const text = typeof value === 'number' ? value.toFixed(6) : value;
  const match = new RegExp(MONEY_PATTERN).exec(text);
  if (!match) throw new RangeError(`"${value}" is not an amount of USD; write for example 0.25`);
  const [whole = '0', fraction = ''] = text.split('.');
  const micro = Number(whole) * 1_000_000 + Number(fraction.padEnd(6, '0'));
  if (!Number.isSafeInteger(micro)) throw new RangeError(`"${value}" is too large an amount`);
  return micro;
}

/** Decimal string with exactly six decimals: what the API, status and exports show. Never an exponent. */
export function formatUsd(micro: MicroUsd): string {
  const sign = micro < 0 ? '-' : '';
  const absolute = Math.abs(Math.round(micro));
  return `${sign}${Math.floor(absolute / 1_000_000)}.${String(absolute % 1_000_000).padStart(6, '0')}`;
}
