import { KINDS, type Kind } from '../kinds/all.ts';
import { API_GROUP, API_VERSION } from '../names.ts';
import { PRINTER_COLUMNS } from './printer-columns.ts';
import { CEL_RULES } from './rules.ts';
import { type CelRule, type StructuralSchema, structuralSchema } from './structural-schema.ts';

const DESCRIPTION: Record<Kind, string> = {
  BrowserSession: 'One browser for one owner, from its place in the queue to the last byte saved.',
  BrowserPool: 'How browser pods of a namespace look, and how many are kept warm. The platform team owns it.',
  BrowserProfile: 'Saved login state of one owner. The bytes are encrypted and kept elsewhere; this object names them.',
  BrowserTenant: 'Who may use how much, and in which namespace.',
};

/** The CustomResourceDefinition of a kind as a plain object, keys in the order they are to be read. */
export function customResourceDefinition(kind: Kind): Record<string, unknown> {
  const { plural, singular, shortNames, scope, spec, status } = KINDS[kind];
  const schema: StructuralSchema = {
    type: 'object',
    description: DESCRIPTION[kind],
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: { description: 'What is asked for.', ...structuralSchema(spec, 'spec') },
      status: { description: 'What was observed.', ...structuralSchema(status, 'status') },
    },
  };
  for (const part of ['spec', 'status']) assertDescribed(schema.properties![part]!, part);
  for (const [path, rules] of Object.entries(CEL_RULES[kind])) addRules(schema, path, rules);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${API_GROUP}` },
    spec: {
      group: API_GROUP,
      scope,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular,
        shortNames: [...shortNames],
        categories: ['podwright'],
      },
      versions: [
        {
          name: API_VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: PRINTER_COLUMNS[kind],
          schema: { openAPIV3Schema: schema },
        },
      ],
    },
  };
}

/** `kubectl explain` is how people learn the kinds: a field without a word on it is an error. */
export function assertDescribed(schema: StructuralSchema, path: string): void {
  if (!schema.description) throw new TypeError(`${path} has no description`);
  for (const [name, field] of Object.entries(schema.properties ?? {})) assertDescribed(field, `${path}.${name}`);
  for (const [name, field] of Object.entries(schema.items?.properties ?? {})) {
    assertDescribed(field, `${path}[].${name}`);
  }
}

function addRules(root: StructuralSchema, path: string, rules: CelRule[]): void {
  let node: StructuralSchema | undefined = root;
  for (const part of path.split('.')) {
    node = node?.properties?.[part.replace('[]', '')];
    if (part.endsWith('[]')) node = node?.items;
  }
  if (!node) throw new TypeError(`a rule is written for ${path}, which the schema does not have`);
  node['x-kubernetes-validations'] = rules;
}
