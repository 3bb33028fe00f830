/**
 * Models for the installation, from the environment of `make up`: OPENAI_API_KEY, ANTHROPIC_API_KEY, OPENAI_BASE_URL
 * and ANTHROPIC_BASE_URL, with OPENAI_MODEL and ANTHROPIC_MODEL to choose one. None of them: the bundled demo model.
 */
export const MODEL_KEYS_SECRET = 'podwright-model-keys';

/** An entry of `models.entries` in the chart's values. */
interface ModelEntry {
  name: string;
  provider: 'openai' | 'openai-compatible' | 'anthropic';
  model: string;
  baseUrl?: string;
  secretRef?: { name: string; key: string };
  price: { input: string; cachedInput: string; output: string };
}

export interface ModelSettings {
  entries: ModelEntry[];
  /** Keys by name in the Secret. */
  keys: Record<string, string>;
  /** TCP ports of servers with an address of one's own, which the agents' NetworkPolicy must open. */
  ports: number[];
}

export function modelsFromEnvironment(env: NodeJS.ProcessEnv): ModelSettings {
  const settings: ModelSettings = { entries: [], keys: {}, ports: [] };
  const add = (key: string, secret: string | undefined, entry: ModelEntry): void => {
    if (secret) {
      settings.keys[key] = secret;
      entry.secretRef = { name: MODEL_KEYS_SECRET, key };
    }
    if (entry.baseUrl) settings.ports.push(portOf(entry.baseUrl));
    settings.entries.push(entry);
  };
  const { OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL, ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, ANTHROPIC_MODEL } = env;
  if (ANTHROPIC_API_KEY) {
    const model = ANTHROPIC_MODEL ?? 'claude-sonnet-5';
    add('anthropic', ANTHROPIC_API_KEY, {
      name: model,
      provider: 'anthropic',
      model,
      ...(ANTHROPIC_BASE_URL ? { baseUrl: ANTHROPIC_BASE_URL } : {}),
      price: { input: '3', cachedInput: '0.3', output: '15' },
    });
  }
  if (OPENAI_API_KEY || OPENAI_BASE_URL) {
    const model = OPENAI_MODEL ?? 'gpt-5-mini';
    add('openai', OPENAI_API_KEY, {
      name: model,
      provider: OPENAI_BASE_URL ? 'openai-compatible' : 'openai',
      model,
      ...(OPENAI_BASE_URL ? { baseUrl: OPENAI_BASE_URL } : {}),
      price: { input: '0.25', cachedInput: '0.025', output: '2' },
    });
  }
  return settings;
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}
