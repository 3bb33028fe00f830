import { describe, expect, test } from 'vitest';
import { CreateSessionBody, ListSessionsQuery, StopSessionBody } from '@podwright/api/v3/sessions';
import { ListBrowsersQuery } from '@podwright/api/v3/browsers';
import { UuidParams } from '@podwright/api/v3/common';
import { ValidationError, createCheck } from './validation.ts';

const problems = (act: () => unknown): string => {
  try {
    act();
    return 'none';
  } catch (error) {
    return error instanceof ValidationError ? error.message : 'bug';
  }
};

describe('checks of requests', () => {
  test('query texts become numbers, booleans and arrays', () => {
    expect(createCheck('query', ListSessionsQuery)({ page: '2', page_size: '100' })).toEqual({
      page: 2,
      page_size: 100,
    });
    expect(createCheck('query', ListBrowsersQuery)({ metadata: 'k=v' })).toEqual({ metadata: ['k=v'] });
  });
  test.each([
    [
      'a page of 101 is refused',
      'query' as const,
      ListSessionsQuery,
      { page_size: '101' },
      'query.page_size: must be <= 100',
    ],
    [
      'an id that is no UUID is refused',
      'path' as const,
      UuidParams,
      { id: 'abc' },
      'path.id: must match format "uuid"',
    ],
    [
      'a screen that is too small is refused once',
      'body' as const,
      CreateSessionBody,
      { browserScreenWidth: 10 },
      'body.browserScreenWidth: must be >= 320',
    ],
    ['explicit nulls are accepted', 'body' as const, CreateSessionBody, { task: null, profileId: null }, 'none'],
    ['unknown fields are ignored', 'body' as const, CreateSessionBody, { task: 'x', whatever: 1 }, 'none'],
    ['an absent body is accepted where it may be absent', 'body' as const, StopSessionBody, null, 'none'],
    ['money may be a number', 'body' as const, CreateSessionBody, { maxCostUsd: 0.25 }, 'none'],
    ['money may be a decimal string', 'body' as const, CreateSessionBody, { maxCostUsd: '0.25' }, 'none'],
  ])('%s', (_name, part, schema, value, expected) => {
    expect(problems(() => createCheck(part, schema)(value))).toBe(expected);
  });
});
