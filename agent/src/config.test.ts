import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

test('only Redis must be named; numbers are read and addresses lose a trailing slash', () => {
  const config = readConfig({
    PODWRIGHT_REDIS_URL: 'redis://default:x@redis:6379',
    PODWRIGHT_AGENT_CONCURRENCY: '7',
    PODWRIGHT_KEEPER_URL: 'http://keeper:8082/',
    PODWRIGHT_LOG_LEVEL: '',
  });
  expect(config).toMatchObject({
    concurrency: 7,
    keeperUrl: 'http://keeper:8082',
    logLevel: 'info',
    maxRunMs: 14_400_000,
  });
});

test('every problem is named at once', () => {
  const read = () => readConfig({ PODWRIGHT_REDIS_URL: 'nowhere', PODWRIGHT_AGENT_CONCURRENCY: '0' });
  expect(read).toThrow(/PODWRIGHT_REDIS_URL.*\n.*PODWRIGHT_AGENT_CONCURRENCY/);
});
