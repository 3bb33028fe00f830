import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { KINDS, type Kind } from '../kinds/all.ts';
import { OneOf } from '../kinds/shared.ts';
import { assertDescribed, customResourceDefinition } from './custom-resource-definition.ts';
import { PRINTER_COLUMNS } from './printer-columns.ts';
import { type StructuralSchema, structuralSchema } from './structural-schema.ts';

describe('a structural schema', () => {
  test('turns a choice of words into an enum', () => {
    const expected = { type: 'string', enum: ['a', 'b'] };
    expect(structuralSchema(Type.Union([Type.Literal('a'), Type.Literal('b')]))).toEqual(expected);
    expect(structuralSchema(OneOf(['a', 'b']))).toEqual(expected);
  });

  test('bounds maps and their values, for rules must have a price', () => {
    expect(structuralSchema(Type.Record(Type.String(), Type.String()))).toMatchObject({
      type: 'object',
      maxProperties: 64,
      additionalProperties: { type: 'string', maxLength: 253 },
    });
  });

  test.each([
    ['a union of shapes', Type.Object({ x: Type.Union([Type.String(), Type.Integer()]) }), /\.x/],
    ['anything at all', Type.Object({ y: Type.Array(Type.Any()) }), /\.y\[\]/],
  ])('refuses %s and says where', (_name, schema, where) => {
    expect(() => structuralSchema(schema)).toThrow(where);
  });
});

test('a field without a description is an error that names it', () => {
  const field = { type: 'string', description: 'Fine.' };
  const list = {
    type: 'array',
    description: 'Fine.',
    items: { type: 'object', properties: { b: { type: 'string' } } },
  };
  const properties = { a: field, list };
  expect(() => assertDescribed({ description: 'Fine.', properties }, 'spec')).toThrow(/^spec\.list\[\]\.b has no/);
  expect(() => assertDescribed({ properties: { a: field } }, 'spec')).toThrow(/^spec has no/);
});

describe.each(Object.keys(KINDS) as Kind[])('%s', (kind) => {
  const definition = customResourceDefinition(kind) as {
    spec: { versions: [{ schema: { openAPIV3Schema: StructuralSchema } }] };
  };
  const schema = definition.spec.versions[0].schema.openAPIV3Schema;

  test('has every field that its columns show', () => {
    for (const { jsonPath } of PRINTER_COLUMNS[kind]) {
      const path = jsonPath.replace(/\[.*$/, '').split('.').slice(1);
      if (path[0] === 'metadata') continue;
      let node: StructuralSchema | undefined = schema;
      for (const part of path) node = node?.properties?.[part];
      expect(node, jsonPath).toBeDefined();
    }
  });

  test('has no text without a bound where rules could read it', () => {
    const unbounded: string[] = [];
    const visit = (node: StructuralSchema, path: string): void => {
      const isText = node.type === 'string' && node.maxLength === undefined && !node.enum && !node.format;
      if (isText) unbounded.push(path);
      for (const [name, below] of Object.entries(node.properties ?? {})) visit(below, `${path}.${name}`);
      if (node.items) visit(node.items, `${path}[]`);
    };
    visit(schema.properties!['spec']!, 'spec');
    expect(unbounded).toEqual([]);
  });
});
