/**
 * Names of models that clients of the v3 API know. The Python SDK refuses an answer with any other name, and one such
 * row breaks its whole list.
 */
export const V3_MODELS = [
  'bu-mini',
  'bu-max',
  'bu-ultra',
  'gemini-3-flash',
  'claude-opus-4.6',
  'claude-opus-4.7',
  'claude-sonnet-5',
  'claude-opus-4.8',
  'gpt-5.4-mini',
  'glm-5.2',
  'minimax-m3',
  'grok-4.6',
  'glm-5.3-flash',
  'deepseek-v4-flash-vision',
  'claude-haiku-4.5',
  'gpt-5.2',
  'gpt-5-mini',
  'gpt-5.5',
  'gpt-5.6-sol',
  'gpt-5.6-terra',
  'gpt-5.6-luna',
  'gemini-3-pro',
  'gemini-3.1-pro',
  'gemini-3.5-flash',
] as const;

/** Names that only older clients know. They are accepted and answered to the one who asked, never in a list. */
export const V3_RETIRED_MODELS = ['claude-sonnet-4.6'] as const;

/** Answered when no model was named, or one of the installation's own: every client version knows it. */
export const V3_NEUTRAL_MODEL = 'bu-max';

const known: ReadonlySet<string> = new Set(V3_MODELS);
const retired: ReadonlySet<string> = new Set(V3_RETIRED_MODELS);

/** True for a name that clients of the v3 API may send without knowing this installation. */
export const isV3Model = (name: string): boolean => known.has(name) || retired.has(name);

/** The name an answer may carry for the model that was asked for. */
export function v3ModelName(requested: string, where: 'one' | 'list'): string {
  if (known.has(requested)) return requested;
  return where === 'one' && retired.has(requested) ? requested : V3_NEUTRAL_MODEL;
}
