import { type Static, Type } from 'typebox';
import { MONEY_PATTERN } from './money.ts';

/**
 * Models of an installation: one JSON file (`PODWRIGHT_MODELS_FILE`) that gateway and agents mount from the chart's ConfigMap.
 * Keys are never in it: `apiKeyEnv` names an environment variable of the agent.
 */
const Price = Type.String({ pattern: MONEY_PATTERN });

export const ModelEntry = Type.Object({
  /** Name that tasks use. */
  name: Type.String({ minLength: 1 }),
  provider: Type.Union([Type.Literal('openai'), Type.Literal('openai-compatible'), Type.Literal('anthropic')]),
  /** The provider's own name. */
  model: Type.String({ minLength: 1 }),
  baseUrl: Type.Optional(Type.String()),
  apiKeyEnv: Type.Optional(Type.String()),
  /** Accepts images. */
  vision: Type.Optional(Type.Boolean()),
  /** The bundled demo model, which can do the sample only; answers say so. */
  demo: Type.Optional(Type.Boolean()),
  contextLimit: Type.Integer({ minimum: 1000, default: 128_000 }),
  /** USD per million tokens. */
  price: Type.Object({ input: Price, cachedInput: Price, output: Price }),
});
export type ModelEntry = Static<typeof ModelEntry>;

export const ModelsFile = Type.Object({
  /** Name of the model that is used when none is named, and for `bu-*` aliases without an entry of their own. */
  default: Type.String(),
  /** Alias of the v2, v3 and v4 API (for example `bu-max`) to the name of an entry. */
  aliases: Type.Record(Type.String(), Type.String()),
  models: Type.Array(ModelEntry, { minItems: 1 }),
});
export type ModelsFile = Static<typeof ModelsFile>;

/** The entry that a requested name stands for: its own name first, then an alias, then the default for known `bu-` and v3 names. Null: unknown. */
export function resolveModel(file: ModelsFile, requested: string | null): ModelEntry | null {
  const name = requested ?? file.default;
  const byName = (wanted: string) => file.models.find((entry) => entry.name === wanted) ?? null;
  const direct = byName(name);
  if (direct) return direct;
  const alias = file.aliases[name];
  return alias === undefined ? null : byName(alias);
}
