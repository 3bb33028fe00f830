import type { FastifyInstance, InjectOptions } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiError } from '@podwright/api/errors';
import { createMetrics } from '../metrics.ts';
import type { SaveResult, SavedState } from '../profiles/profile-keeper.ts';
import type { Caller } from './caller.ts';
import { addProfileRoutes } from './profile-routes.ts';
import { createServer } from './server.ts';

let server: FastifyInstance;
let saved: SavedState;
let pushed: string[];
let done: string[];
const instants = { capturedAt: '2026-01-01T00:00:00.000Z', expiresAt: '2026-02-01T00:00:00.000Z' };

beforeEach(() => {
  saved = { outcome: 'Empty' };
  pushed = [];
  done = [];
  server = createServer({
    // The token is the name of the part.
    callerOf: async (authorization) => authorization?.replace('Bearer ', '') as Caller,
    metrics: createMetrics(),
    log: pino({ level: 'silent' }),
    shutdown: new AbortController().signal,
  });
  const result: SaveResult = { version: 2, sizeBytes: 3, cookieDomains: [], outcome: 'saved', missing: [] };
  addProfileRoutes(server, {
    profiles: {
      stateFor: async () => saved,
      touch: async ({ name }) => void done.push(`used ${name}`),
      importState: async (_id, state) => {
        if (state.length > 30) throw new ApiError('session_busy', 'Session s holds this profile.');
        done.push(`imported ${state.toString()}`);
        return result;
      },
      saveFromSession: async () => result,
      remove: async ({ namespace, name, uid }) => done.push(`removed ${namespace}/${name} ${uid}`),
      rewrap: async () => 'current',
    },
    pod: () => ({
      loadProfile: async (state) => {
        pushed.push(state.toString());
        return ['2 cookies'];
      },
      readProfile: async () => Buffer.alloc(0),
      listDownloads: async () => [],
      download: async () => (async function* () {})(),
      markCollected: async () => undefined,
    }),
  });
});
afterEach(() => server.close());

const as = (part: Caller, options: InjectOptions) =>
  server.inject({ ...options, headers: { ...options.headers, authorization: `Bearer ${part}` } });
const load = () =>
  as('operator', {
    method: 'POST',
    url: '/profiles/load',
    payload: { namespace: 'tenant-demo', profile: 'shop', sessionUid: 's', podUid: 'p', podIP: '10.0.0.1' },
  });

describe('loading', () => {
  test.each<[string, SavedState, string, object]>([
    [
      'a saved state goes into the pod',
      { outcome: 'Loaded', state: Buffer.from('{"cookies":[1]}'), version: 4, ...instants },
      '{"cookies":[1]}',
      { outcome: 'Loaded', version: 4, ...instants },
    ],
    [
      'of a profile that holds nothing yet, the pod is told so: it waits for a state before its first page',
      { outcome: 'Empty' },
      '{"cookies":[],"origins":[]}',
      { outcome: 'Empty', version: null, capturedAt: null, expiresAt: null },
    ],
    [
      'an expired state stays where it is',
      { outcome: 'Expired', version: 4, ...instants },
      '{"cookies":[],"origins":[]}',
      { outcome: 'Expired', version: 4, ...instants },
    ],
  ])('%s', async (_name, state, sent, answer) => {
    saved = state;
    expect((await load()).json()).toEqual({ ...answer, missing: ['2 cookies'] });
    expect(pushed).toEqual([sent]);
    expect(done).toEqual(['used shop']);
  });
});

describe('a state goes out and in', () => {
  const url = '/profiles/tenant-demo/shop/state';

  test('as bytes that nobody keeps on the way', async () => {
    saved = { outcome: 'Loaded', state: Buffer.from('{"cookies":[]}'), version: 1, ...instants };
    const answer = await as('gateway', { method: 'GET', url });
    expect(answer.json()).toEqual({ cookies: [] });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  test.each<[string, SavedState, number]>([
    ['nothing was saved', { outcome: 'Empty' }, 404],
    ['it has expired', { outcome: 'Expired', version: 1, ...instants }, 410],
  ])('not when %s', async (_why, state, status) => {
    saved = state;
    expect((await as('gateway', { method: 'GET', url })).statusCode).toBe(status);
  });

  test('whatever its content type, and a refusal is told', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect((await as('gateway', { method: 'PUT', url, payload: '{"cookies":[]}', headers })).json()).toEqual({
      version: 2,
      sizeBytes: 3,
      cookieDomains: [],
    });
    expect(done).toEqual(['imported {"cookies":[]}']);
    const busy = await as('gateway', { method: 'PUT', url, payload: ' '.repeat(40), headers });
    expect(busy.statusCode).toBe(409);
  });

  test('for the gateway alone', async () => {
    expect((await as('agent', { method: 'GET', url })).statusCode).toBe(403);
    expect((await as('operator', { method: 'PUT', url, payload: '{}' })).statusCode).toBe(403);
  });
});

test('bytes are deleted of exactly one BrowserProfile, and never by a name alone', async () => {
  const uid = 'f5dd0c8e-6f0b-4d1c-9f4e-0a1b2c3d4e5f';
  const remove = (query: string) => as('operator', { method: 'DELETE', url: `/profiles/tenant-demo/shop${query}` });
  expect((await remove('')).statusCode).toBe(422);
  expect((await remove('?uid=../../x')).statusCode).toBe(422);
  expect((await remove(`?uid=${uid}`)).statusCode).toBe(204);
  expect(done).toEqual([`removed tenant-demo/shop ${uid}`]);
});
