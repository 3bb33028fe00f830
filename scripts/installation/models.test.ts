import { describe, expect, test } from 'vitest';
import { modelsFromEnvironment } from './models.ts';

describe('models from the environment of make up', () => {
  test('are none without a key: the demo model answers', () => {
    expect(modelsFromEnvironment({ OPENAI_API_KEY: '' })).toEqual({ entries: [], keys: {}, ports: [] });
  });

  test('are one for each provider with a key, which goes into the Secret alone', () => {
    const { entries, keys } = modelsFromEnvironment({ OPENAI_API_KEY: 'sk-o', ANTHROPIC_API_KEY: 'sk-a' });
    expect(entries.map(({ provider, secretRef }) => [provider, secretRef?.key])).toEqual([
      ['anthropic', 'anthropic'],
      ['openai', 'openai'],
    ]);
    expect(keys).toEqual({ openai: 'sk-o', anthropic: 'sk-a' });
    expect(JSON.stringify(entries)).not.toContain('sk-');
  });

  const servers: [string, number][] = [
    ['http://10.0.0.5:8000/v1', 8000],
    ['https://models.example/v1', 443],
    ['http://models.example', 80],
  ];
  test.each(servers)('at %s need no key, and the agents may go to port %i', (url, port) => {
    const { entries, keys, ports } = modelsFromEnvironment({ OPENAI_BASE_URL: url, OPENAI_MODEL: 'qwen3' });
    expect(entries).toMatchObject([{ name: 'qwen3', provider: 'openai-compatible', baseUrl: url }]);
    expect([keys, ports]).toEqual([{}, [port]]);
  });
});
