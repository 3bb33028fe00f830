import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { ApiError } from '@podwright/api/errors';
import { UuidParams } from '@podwright/api/v3/common';
import { CreateSessionBody } from '@podwright/api/v3/sessions';
import { KubeError } from '@podwright/kube/kube-error';
import { createHttpServer } from './public-server.ts';

const lines: string[] = [];
const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
let draining = false;

function server() {
  const app = createHttpServer({ log, trustProxy: false, isDraining: () => draining, onAnswered: () => {} });
  app.post('/echo', { schema: { body: CreateSessionBody } }, async (request) => request.body);
  app.post('/empty', async (request) => ({ got: request.body }));
  app.get('/things/:id', { schema: { params: UuidParams } }, async () => ({ ok: true }));
  app.get<{ Params: { what: string } }>('/throw/:what', async (request) => {
    throw ERRORS[request.params.what];
  });
  return app;
}
const ERRORS: Record<string, Error> = {
  full: new ApiError('too_many_sessions', undefined, { retryAfter: 5 }),
  quota: new KubeError(403, 'Forbidden', 'exceeded quota: pods'),
  apiserver: new KubeError(0, 'Connection', 'no answer'),
  redis: new Error('Connection is closed.'),
  bug: new Error('secret of the inside'),
};
afterEach(() => {
  draining = false;
  lines.length = 0;
});

describe('what every route shares', () => {
  test.each([
    ['an empty body with a content type', { headers: { 'content-type': 'application/json' }, payload: '' }],
    ['no body at all', {}],
    ['a body of length 0', { headers: { 'content-length': '0' } }],
  ])('%s is no body', async (_name, request) => {
    const answer = await server().inject({ method: 'POST', url: '/empty', ...request });
    expect(answer.json()).toEqual({ got: null });
  });

  test('a trailing slash makes no other route', async () => {
    const id = crypto.randomUUID();
    expect((await server().inject({ url: `/things/${id}/` })).statusCode).toBe(200);
  });

  test.each([
    ['an id that is no UUID', '/things/abc', 422, 'invalid_request'],
    ['an unknown route', '/nowhere', 404, 'not_found'],
    ['a full tenant', '/throw/full', 429, 'too_many_sessions'],
    ['a used up quota', '/throw/quota', 503, 'control_plane_full'],
    ['an API server that does not answer', '/throw/apiserver', 503, 'unavailable'],
    ['a Redis that is gone', '/throw/redis', 503, 'unavailable'],
    ['a bug', '/throw/bug', 500, 'internal'],
  ])('%s is answered with detail, code and request id', async (_name, url, status, code) => {
    const answer = await server().inject({ url });
    expect(answer.statusCode).toBe(status);
    const body = answer.json<{ detail: unknown; code: string; requestId: string; message?: string }>();
    expect(body.code).toBe(code);
    expect(body.requestId).toBe(answer.headers['x-request-id']);
    expect(body.detail).toBeTruthy();
    expect(body.message).toBeUndefined();
    expect(JSON.stringify(body)).not.toContain('secret of the inside');
  });

  test('trying again is announced in seconds', async () => {
    expect((await server().inject({ url: '/throw/full' })).headers['retry-after']).toBe('5');
    expect((await server().inject({ url: '/throw/redis' })).headers['retry-after']).toBe('2');
  });

  test('a body that is no JSON is 400, a wrong field is 422 with its place', async () => {
    const headers = { 'content-type': 'application/json' };
    const broken = await server().inject({ method: 'POST', url: '/echo', headers, payload: '{' });
    expect(broken.statusCode).toBe(400);
    const wrong = await server().inject({ method: 'POST', url: '/echo', headers, payload: '{"task":5}' });
    expect(wrong.json()).toMatchObject({ detail: [{ loc: ['body', 'task'], msg: 'must be string', type: 'type' }] });
  });

  test('one line per request, with neither its query nor its body', async () => {
    const headers = { 'content-type': 'application/json' };
    await server().inject({ method: 'POST', url: '/echo?key=hidden', headers, payload: '{"task":"private"}' });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({ method: 'POST', route: '/echo', status: 200 });
    expect(lines[0]).not.toMatch(/hidden|private/);
  });

  test('a draining server answers and closes the connection', async () => {
    draining = true;
    const answer = await server().inject({ url: `/things/${crypto.randomUUID()}` });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['connection']).toBe('close');
  });
});
