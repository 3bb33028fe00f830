import { expect, test } from 'vitest';
import { jsonShape } from './json-shape.ts';

const shapes: [string, { depth: number; values: number }][] = [
  ['1', { depth: 0, values: 1 }],
  ['[]', { depth: 1, values: 2 }],
  ['{"a":[1,2,3]}', { depth: 2, values: 5 }],
  ['"[[[,,,"', { depth: 0, values: 1 }],
  [String.raw`["a\"[[","\\",[[]]]`, { depth: 3, values: 6 }],
  ['}}}]]', { depth: 0, values: 1 }],
  [String.raw`"open \"`, { depth: 0, values: 1 }],
];

test.each(shapes)('the shape of %s is counted outside of strings', (text, shape) => {
  expect(jsonShape(Buffer.from(text))).toEqual(shape);
});
