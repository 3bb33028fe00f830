import { ApiError } from '@podwright/api/errors';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

export interface Problem {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** 422 whose detail lists every problem. */
export class ValidationError extends ApiError {
  readonly problems: Problem[];
  constructor(problems: Problem[]) {
    super('invalid_request', problems.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '));
    this.problems = problems;
  }
}

export type HttpPart = 'body' | 'query' | 'path';

/** A check of one part of a request; returns the value with query texts turned into numbers, booleans and arrays. */
export function createCheck(part: HttpPart, schema: TSchema): (value: unknown) => unknown {
  const validator = Compile(schema);
  return (value) => {
    const converted = part === 'body' ? value : validator.Convert(value);
    if (validator.Check(converted)) return converted;
    throw new ValidationError(problemsOf(part, validator.Errors(converted)));
  };
}

interface RawError {
  keyword: string;
  instancePath: string;
  params: unknown;
  message: string;
}

/** Errors of unions repeat what their members said, and "must be null" tells nobody anything. */
export function problemsOf(part: HttpPart, errors: readonly RawError[]): Problem[] {
  const telling = errors.filter((error) => {
    if (error.keyword === 'type' && (error.params as { type?: string }).type === 'null') return false;
    return error.keyword !== 'anyOf' || !errors.some((other) => other !== error && isAbout(other, error));
  });
  const problems = telling.map((error) => ({
    loc: [part, ...error.instancePath.split('/').slice(1).map(decodePointer)],
    msg: error.message,
    type: error.keyword,
  }));
  const seen = new Set<string>();
  return problems.filter(({ loc, msg }) => {
    const key = `${loc.join('/')} ${msg}`;
    return seen.has(key) ? false : Boolean(seen.add(key));
  });
}

const isAbout = (other: RawError, union: RawError): boolean =>
  other.keyword !== 'anyOf' && other.instancePath.startsWith(union.instancePath);

const decodePointer = (token: string): string | number => {
  const text = token.replaceAll('~1', '/').replaceAll('~0', '~');
  return /^[0-9]+$/.test(text) ? Number(text) : text;
};
