/** Percentiles by nearest rank, of milliseconds. */
export function percentiles(samples: number[]): { p50: number; p90: number; p95: number; p99: number; n: number } {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
  return { p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99), n: sorted.length };
}

/** A row of a Markdown table. */
export function row(name: string, samples: number[]): string {
  const { p50, p95, p99, n } = percentiles(samples);
  return `| ${name} | ${n} | ${p50.toFixed(0)} | ${p95.toFixed(0)} | ${p99.toFixed(0)} |`;
}
