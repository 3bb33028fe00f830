import { GATEWAY_METRICS } from '@podwright/api/metrics';
import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

test('what is exported is what the table declares', () => {
  const metrics = createMetrics({ tunnels: () => 0, watches: () => [], costs: async () => null });
  const exported = metrics.registry
    .getMetricsAsArray()
    .filter(({ name }) => name.startsWith('podwright_'))
    .map(({ name, ...rest }) => [name, (rest as unknown as { labelNames: string[] }).labelNames]);
  const declared = Object.entries(GATEWAY_METRICS).map(([name, { labels }]) => [name, Object.keys(labels)]);
  expect(Object.fromEntries(exported)).toEqual(Object.fromEntries(declared));
});
