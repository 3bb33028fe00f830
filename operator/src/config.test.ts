import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

test('what is needed is enough, and the rest has defaults', () => {
  const config = readConfig({
    PODWRIGHT_SUPERVISOR_IMAGE: 'podwright:1',
    PODWRIGHT_CLUSTER_CIDRS: '10.0.0.0/8, fd00::/8',
  });
  expect(config).toMatchObject({ prefix: 'podwright', clusterCidrs: ['10.0.0.0/8', 'fd00::/8'], apiServer: undefined });
  expect(Object.isFrozen(config)).toBe(true);
});

test('every problem is reported at once', () => {
  const broken = { PODWRIGHT_KEEPER_URL: 'keeper', PODWRIGHT_MAX_STARTING: 'many' };
  expect(() => readConfig(broken)).toThrow(
    /(?=[\s\S]*PODWRIGHT_SUPERVISOR_IMAGE)(?=[\s\S]*PODWRIGHT_KEEPER_URL)(?=[\s\S]*PODWRIGHT_MAX_STARTING)/,
  );
});
