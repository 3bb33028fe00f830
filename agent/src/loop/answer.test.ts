import { describe, expect, test } from 'vitest';
import { createAnswerCheck } from './answer.ts';

const PRICE = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['price', 'inStock'],
  properties: { price: { $ref: '#/$defs/Price' }, inStock: { type: 'boolean' } },
  $defs: { Price: { type: 'string' } },
  additionalProperties: false,
};
const submit = (schema: unknown, output: unknown, success = true) => {
  const check = createAnswerCheck(schema);
  const result = check.submit({ success, summary: 'Words.', output });
  return { result, accepted: check.accepted()?.output, refused: check.refused() };
};

describe('an answer', () => {
  test('that fits the schema is accepted, $defs included', () => {
    expect(submit(PRICE, { price: '1', inStock: true })).toMatchObject({ accepted: { price: '1', inStock: true } });
  });
  test('that arrived as JSON text is read', () => {
    expect(submit(PRICE, '{"price":"1","inStock":false}').accepted).toEqual({ price: '1', inStock: false });
  });
  test('that does not fit is refused with every defect', () => {
    const { result, accepted, refused } = submit(PRICE, { price: 1 });
    expect(result).toMatchObject({ ok: false, code: 'output_invalid' });
    expect(result.text).toMatch(/must have required property 'inStock'.*\/price must be string/);
    expect({ accepted, refused }).toEqual({ accepted: undefined, refused: 1 });
  });
  test('without a schema is its words', () => {
    expect(submit(null, null).accepted).toBe('Words.');
    expect(submit(null, { any: 1 }).accepted).toEqual({ any: 1 });
  });
  test('that gives up needs no output', () => {
    expect(submit(PRICE, null, false)).toMatchObject({ result: { ok: true }, accepted: null });
  });
});

test.each([
  ['refers to another document', { $ref: 'https://example.com/schema.json' }, /cannot be used/],
  ['is no schema', { type: 'colour' }, /cannot be used/],
])('a schema that %s is refused', (_, schema, message) => {
  expect(() => createAnswerCheck(schema)).toThrow(message);
});
