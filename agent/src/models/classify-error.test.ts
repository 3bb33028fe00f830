import { APICallError } from 'ai';
import { expect, test } from 'vitest';
import { DeadlineError } from '../within.ts';
import { classifyError } from './classify-error.ts';

const call = (statusCode: number | undefined, headers: Record<string, string> = {}) =>
  new APICallError({
    message: 'key sk-1234 was refused',
    url: 'http://provider/v1',
    requestBodyValues: {},
    ...(statusCode === undefined ? {} : { statusCode }),
    responseHeaders: headers,
  });

test.each([
  ['a rate limit is tried again', call(429), { kind: 'model_unavailable', status: 429, retryable: true }],
  ['the wait that the provider asks for is kept', call(429, { 'retry-after': '7' }), { retryAfterMs: 7_000 }],
  ['an overloaded provider is tried again', call(529), { kind: 'model_unavailable', status: 529, retryable: true }],
  ['a refused key is final', call(401), { kind: 'model_error', status: 401, retryable: false }],
  ['a refused request is final', call(400), { kind: 'model_error', status: 400, retryable: false }],
  ['an answer that cannot be read is malformed', call(200), { kind: 'model_malformed', retryable: true }],
  [
    'a provider that cannot be reached is tried again',
    call(undefined),
    { kind: 'model_unavailable', status: null, retryable: true },
  ],
  ['no answer in time is tried again', new DeadlineError('late'), { kind: 'model_unavailable', retryable: true }],
  ['a wrapped error is unwrapped', new Error('outer', { cause: call(503) }), { status: 503, retryable: true }],
])('%s', (_, error, expected) => {
  expect(classifyError(error)).toMatchObject(expected);
});

test('nothing of the provider’s words is passed on', () => {
  expect(JSON.stringify(classifyError(call(401)))).not.toContain('sk-1234');
});
