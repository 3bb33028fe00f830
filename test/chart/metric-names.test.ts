import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { METRICS, type MetricDeclaration } from '@podwright/api/metrics';
import { expect, test } from 'vitest';

const folder = resolve(import.meta.dirname, '../../dashboards');
const declared = new Map(
  Object.values<Record<string, MetricDeclaration>>(METRICS).flatMap((metrics) => Object.entries(metrics)),
);
/** Series that a histogram has under names of their own. */
const seriesOf = (name: string, { type }: MetricDeclaration): string[] =>
  type === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => name + part) : [name];
const series = new Set([...declared].flatMap(([name, declaration]) => seriesOf(name, declaration)));

test.each(readdirSync(folder))('%s asks only for series that a part exports', (name) => {
  const used = readFileSync(join(folder, name), 'utf8').match(/\bpodwright_[a-z_]+/g) ?? [];
  expect([...new Set(used)].filter((one) => !series.has(one))).toEqual([]);
});

test.each([...declared])('%s is named as Prometheus wants it', (name, { type }) => {
  if (type === 'counter') expect(name).toMatch(/_total$/);
  if (type === 'histogram') expect(name).toMatch(/_seconds$/);
  if (type === 'gauge') expect(name).not.toMatch(/_total$/);
});
