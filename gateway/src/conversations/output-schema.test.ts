import { expect, test } from 'vitest';
import { outputSchemaProblem } from './output-schema.ts';

test.each([
  ['none', null],
  ['a plain one', { type: 'object', properties: { price: { type: 'string' } } }],
  ['one with its draft named', { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' }],
  ['one with definitions', { $defs: { A: { type: 'string' } }, properties: { a: { $ref: '#/$defs/A' } } }],
])('%s can be used', (_name, schema) => {
  expect(outputSchemaProblem(schema)).toBeNull();
});

test.each([
  ['a misspelt type', { type: 'strng' }, /not a valid JSON Schema: .*type/],
  ['a reference to nothing', { $ref: '#/$defs/Nothing' }, /Nothing/],
  ['no object', 'string', /must be a JSON Schema object/],
])('%s is refused in words', (_name, schema, words) => {
  expect(outputSchemaProblem(schema)).toMatch(words);
});
