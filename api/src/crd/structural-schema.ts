/**
 * TypeBox schemas as the structural OpenAPI v3 that the API server takes: no `anyOf` for choices, no `const`,
 * every object with declared properties or declared additional ones.
 */

/** A node of a structural schema. */
export interface StructuralSchema {
  type?: string;
  description?: string;
  properties?: Record<string, StructuralSchema>;
  required?: string[];
  additionalProperties?: StructuralSchema;
  items?: StructuralSchema;
  enum?: (string | number)[];
  default?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  'x-kubernetes-preserve-unknown-fields'?: true;
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-validations'?: CelRule[];
}

/** A rule of the Common Expression Language; a rule that mentions `oldSelf` is checked on changes only. */
export interface CelRule {
  rule: string;
  message: string;
  fieldPath?: string;
}

/** The JSON Schema that TypeBox makes, as far as our kinds use it. */
export interface JsonSchema {
  type?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  const?: unknown;
  patternProperties?: Record<string, JsonSchema>;
  [keyword: string]: unknown;
}

const COPIED = [
  'type',
  'description',
  'enum',
  'default',
  'format',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
] as const;

/** A map without bounds makes every rule over it too dear for the server. */
const MAX_MAP_ENTRIES = 64;

/** Converts; throws on a construct that has no structural form, with its path. */
export function structuralSchema(typebox: object, path = ''): StructuralSchema {
  const schema = typebox as JsonSchema;
  const out: Record<string, unknown> = {};
  for (const keyword of COPIED) if (schema[keyword] !== undefined) out[keyword] = schema[keyword];
  if (schema.anyOf) {
    const choices = schema.anyOf.map((choice) => choice.const);
    if (choices.some((choice) => typeof choice !== 'string')) {
      throw new TypeError(`${path || '.'}: only unions of string literals have a structural form`);
    }
    out['type'] = 'string';
    out['enum'] = choices;
  }
  if (schema.patternProperties) {
    const [value] = Object.values(schema.patternProperties);
    out['type'] = 'object';
    out['additionalProperties'] = structuralSchema(bounded(value!), `${path}.*`);
    out['maxProperties'] = MAX_MAP_ENTRIES;
  } else if (schema.properties && Object.keys(schema.properties).length > 0) {
    out['properties'] = Object.fromEntries(
      Object.entries(schema.properties).map(([name, value]) => [name, structuralSchema(value, `${path}.${name}`)]),
    );
    if (schema.required?.length) out['required'] = schema.required;
  }
  if (schema.items) out['items'] = structuralSchema(schema.items, `${path}[]`);
  if (out['type'] === undefined) throw new TypeError(`${path || '.'}: has no type`);
  // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- the compiler needs what the linter does not
  return out as StructuralSchema;
}

const bounded = (schema: JsonSchema): JsonSchema =>
  schema.type === 'string' && schema['maxLength'] === undefined ? { ...schema, maxLength: 253 } : schema;
