import { KEEPER_METRICS } from '@podwright/api/metrics';
import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

test('what is exported is what the table declares', () => {
  const exported = createMetrics()
    .registry.getMetricsAsArray()
    .filter(({ name }) => name.startsWith('podwright_'))
    .map(({ name, help, ...rest }) => [name, help, (rest as unknown as { labelNames: string[] }).labelNames]);
  const declared = Object.entries(KEEPER_METRICS).map(([name, { help, labels }]) => [name, help, Object.keys(labels)]);
  expect(exported).toEqual(declared);
});
