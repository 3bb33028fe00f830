import { type Static, type TObject, Type } from 'typebox';
import { Value } from 'typebox/value';
import { OneOf } from './kinds/shared.ts';

/** Values that environments of several parts have in common. */
export const LogLevel = OneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], { default: 'info' });
export const Port = (port: number) => Type.Integer({ minimum: 0, maximum: 65_535, default: port });
export const HttpUrl = (options: { default?: string } = {}) => Type.String({ pattern: '^https?://', ...options });

/**
 * Reads the variables that `schema` names: numbers and booleans from their text, absent ones from their defaults. A
 * variable that is set to nothing counts as absent: that is how a chart leaves one out. `check` says what is wrong
 * between variables that are right by themselves; of those that are not, it gets what there is.
 * Throws one Error that names every problem, and no value.
 */
export function readEnvironment<Schema extends TObject>(
  schema: Schema,
  env: Readonly<Record<string, string | undefined>>,
  check: (values: Partial<Static<Schema>>) => readonly string[] = () => [],
): Readonly<Static<Schema>> {
  const given = Object.fromEntries(
    Object.keys(schema.properties).flatMap((name) =>
      env[name] === undefined || env[name] === '' ? [] : [[name, env[name]]],
    ),
  );
  const values = Value.Convert(schema, Value.Default(schema, given)) as Partial<Static<Schema>>;
  // Each by itself: of a whole object only the first few errors are told.
  const problems = Object.entries(schema.properties).flatMap(([name, property]) => {
    const value = values[name as keyof typeof values];
    if (value === undefined) return schema.required?.includes(name) ? [`${name} must be set`] : [];
    return Value.Errors(property, value).map(({ message }) => `${name} ${message}`);
  });
  problems.push(...check(values));
  if (problems.length > 0) throw new Error(`the environment is not usable:\n  ${problems.join('\n  ')}`);
  return Object.freeze(values) as Readonly<Static<Schema>>;
}

/** Parts of a comma list, without blanks. */
export const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
