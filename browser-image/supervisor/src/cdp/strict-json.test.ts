import { expect, test } from 'vitest';
import { parseStrictJson } from './strict-json.ts';

test.each([
  ['a message', '{"id":1,"method":"Page.enable","params":{"a":[{"b":":"}]}}'],
  ['colons, quotes and backslashes in strings', String.raw`{"a":"x:\"y\":\\","b\\\":":1}`],
  ['equal names in different objects', '{"a":{"x":1},"b":{"x":1},"c":[{"x":1},{"x":2}]}'],
  ['a member named __proto__', '{"__proto__":{"a":1},"b":2}'],
  ['values that are no objects', '["a:b", 1, null, true]'],
])('reads %s as JSON.parse does', (_, text) => {
  expect(parseStrictJson(text)).toEqual(JSON.parse(text));
});

test.each([
  ['two members of one name', '{"method":"Page.enable","method":"Browser.crash"}'],
  ['a name repeated with an escape', String.raw`{"method":1,"m\u0065thod":2}`],
  ['repetition deep inside', '{"a":[{"b":{"c":1,"d":2,"c":3}}]}'],
  ['__proto__ repeated', '{"__proto__":1,"__proto__":2}'],
  ['comments, which Chromium would accept', '{"a":1/*,"b":2*/}'],
  ['a trailing comma', '{"a":1,}'],
  ['two values', '{"a":1}{"b":2}'],
  ['nothing', ''],
])('refuses %s', (_, text) => {
  expect(() => parseStrictJson(text)).toThrow(SyntaxError);
});
