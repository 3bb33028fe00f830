/** Durations as users write them in manifests: `90s`, `10m`, `4h`, `1h30m`, `0`. */

const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** The grammar, as a pattern for CRDs and REST schemas. */
export const DURATION_PATTERN = '^(0|([0-9]+(ms|s|m|h))+)$';

/** Milliseconds of a duration; throws a RangeError that names the text when it does not follow the grammar. */
export function parseDuration(text: string): number {
  if (text === '0') return 0;
  if (!new RegExp(DURATION_PATTERN).test(text)) {
    throw new RangeError(`"${text}" is not a duration; write for example 90s, 10m or 1h30m`);
  }
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/([0-9]+)(ms|s|m|h)/g)) total += Number(amount) * (UNIT_MS[unit!] ?? 0);
  return total;
}

/** Shortest exact text of a number of milliseconds, for example `1h30m`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0';
  let rest = Math.round(milliseconds);
  let text = '';
  for (const unit of ['h', 'm', 's', 'ms'] as const) {
    const size = UNIT_MS[unit]!;
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    if (amount > 0) text += `${amount}${unit}`;
  }
  return text;
}
