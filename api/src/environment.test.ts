import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { HttpUrl, LogLevel, Port, listOf, readEnvironment } from './environment.ts';

const schema = Type.Object({
  NAME: Type.String({ minLength: 1 }),
  LEVEL: LogLevel,
  PORT: Port(80),
  ON: Type.Boolean({ default: false }),
  URL: HttpUrl({ default: 'http://there' }),
  MAYBE: Type.Optional(Type.String()),
});

describe('an environment', () => {
  test('is read with numbers and booleans from their text, and defaults for what is absent or empty', () => {
    expect(readEnvironment(schema, { NAME: 'n', PORT: '8080', ON: 'true', URL: '', OTHER: 'x' })).toEqual({
      NAME: 'n',
      LEVEL: 'info',
      PORT: 8080,
      ON: true,
      URL: 'http://there',
    });
  });

  test('cannot be changed afterwards', () => {
    expect(Object.isFrozen(readEnvironment(schema, { NAME: 'n' }))).toBe(true);
  });

  test('names every problem at once, those between variables too, and shows no value', () => {
    const read = () =>
      readEnvironment(schema, { LEVEL: 'loud', PORT: 'secret', URL: 'secret' }, ({ ON }) => [`ON is ${ON}`]);
    expect(read).toThrow(/^the environment is not usable:(\n {2}\S.*){5}$/);
    for (const words of ['NAME must be set', 'LEVEL must', 'PORT must be integer', 'URL must match', 'ON is false']) {
      expect(read).toThrow(words);
    }
    expect(read).not.toThrow('secret');
  });
});

test('a comma list has no blanks and no empty parts', () => {
  expect(listOf(' a, b,,c ')).toEqual(['a', 'b', 'c']);
});
