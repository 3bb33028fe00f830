import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

const good = { PODWRIGHT_REDIS_URL: 'redis://r:6379', PODWRIGHT_PUBLIC_URL: 'https://browsers.example.com/' };

test('the public URL loses its trailing slash and its host is a viewer host', () => {
  const config = readConfig({ ...good, PODWRIGHT_EXTRA_HOSTS: 'other.example.com, localhost:8080' });
  expect(config.publicUrl).toBe('https://browsers.example.com');
  expect([...config.viewerHosts]).toEqual(['browsers.example.com', 'other.example.com', 'localhost:8080']);
});

test('numbers and booleans are read from text, and an empty variable counts as absent', () => {
  const config = readConfig({ ...good, PODWRIGHT_PORT: '18080', PODWRIGHT_TRUST_PROXY: 'true', PODWRIGHT_PREFIX: '' });
  expect(config).toMatchObject({ port: 18080, trustProxy: true, prefix: 'podwright' });
});

test('every problem is reported at once', () => {
  const read = (): unknown => readConfig({ PODWRIGHT_REDIS_URL: 'http://x', PODWRIGHT_PORT: 'many' });
  expect(read).toThrow(/PODWRIGHT_PUBLIC_URL must be set/);
  expect(read).toThrow(/PODWRIGHT_REDIS_URL must match/);
  expect(read).toThrow(/PODWRIGHT_PORT must be/);
});
