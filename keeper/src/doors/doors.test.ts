import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiError } from '@podwright/api/errors';
import { createDirectoryStore } from '../blobs/directory-store.ts';
import { createMetrics } from '../metrics.ts';
import { createPresigner } from '../presign/presigner.ts';
import { addBlobRoutes } from './blob-routes.ts';
import { createCallerCheck } from './caller.ts';
import { addCollectRoute } from './collect-route.ts';
import { addPresignRoute } from './presign-route.ts';
import { createServer } from './server.ts';

let root: string;
let server: FastifyInstance;
let now = 0;
let reviews = 0;

/** Tokens are the names of accounts, as the API server would tell them. */
async function review(token: string) {
  reviews += 1;
  if (token === 'slow') throw new Error('no answer');
  const [namespace = '', serviceAccount = ''] = token.split('/');
  return token === 'nobody' ? null : { namespace, serviceAccount };
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'podwright-doors-'));
  now = 1_000_000;
  reviews = 0;
  const metrics = createMetrics();
  const log = pino({ level: 'silent' });
  const callerOf = createCallerCheck({ review, namespace: 'system', prefix: 'podwright', now: () => now });
  server = createServer({ callerOf, metrics, log, shutdown: new AbortController().signal });
  const blobs = await createDirectoryStore({ root });
  const presigner = createPresigner({ keys: () => [Buffer.alloc(32)], now: () => now });
  addBlobRoutes(server, { blobs, presigner });
  addPresignRoute(server, { presigner });
  const collector = { collect: async () => ({ downloads: 0, profileVersion: null, lost: [] }) };
  addCollectRoute(server, { collector, metrics, log });
});
afterEach(async () => {
  await server.close();
  await rm(root, { recursive: true, force: true });
});

const as = (account: string | undefined, options: InjectOptions) =>
  server.inject({
    ...options,
    headers: { ...options.headers, ...(account && { authorization: `Bearer ${account}` }) },
  });
const gateway = (options: InjectOptions) => as('system/podwright-gateway', options);
const upload = (url: string, payload = 'bytes') =>
  gateway({ method: 'PUT', url, payload, headers: { 'content-type': 'text/plain' } });

describe('who may call', () => {
  const url = '/blobs/demo/downloads/a';
  const cases: [string, string | undefined, number][] = [
    ['nobody without a token', undefined, 401],
    ['nobody with a token that the API server refuses', 'nobody', 401],
    ['no account of another namespace', 'tenant-demo/podwright-gateway', 401],
    ['no other account of the namespace', 'system/default', 401],
    ['no part that has no business with it', 'system/podwright-agent', 403],
    ['the part that it is for', 'system/podwright-gateway', 404],
  ];
  test.each(cases)('%s', async (_who, account, status) => {
    expect((await as(account, { method: 'GET', url })).statusCode).toBe(status);
  });

  test('a route that is not there is for nobody', async () => {
    expect((await as(undefined, { method: 'GET', url: '/other' })).statusCode).toBe(401);
    expect((await gateway({ method: 'GET', url: '/other' })).statusCode).toBe(403);
  });

  test('an API server that does not answer is no refusal', async () => {
    const answer = await as('slow', { method: 'GET', url });
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '1']);
  });

  test('a verdict is remembered for half a minute', async () => {
    await gateway({ method: 'GET', url });
    await gateway({ method: 'GET', url });
    expect(reviews).toBe(1);
    now += 31_000;
    await gateway({ method: 'GET', url });
    expect(reviews).toBe(2);
  });
});

describe('blobs', () => {
  test('go in, are listed, come out and go away', async () => {
    expect((await upload('/blobs/demo/uploads/w1/a%20b.txt')).json()).toEqual({
      ref: 'demo/uploads/w1/a b.txt',
      size: 5,
    });
    const listing = await gateway({ method: 'GET', url: '/blobs/demo/uploads?prefix=w1/&limit=10' });
    expect(listing.json()).toMatchObject({ blobs: [{ name: 'w1/a b.txt', size: 5 }], nextCursor: null });
    expect((await gateway({ method: 'GET', url: '/blobs/demo/uploads/w1/a%20b.txt' })).body).toBe('bytes');
    expect((await gateway({ method: 'DELETE', url: '/blobs/demo/uploads/w1/a%20b.txt' })).statusCode).toBe(204);
    expect((await gateway({ method: 'GET', url: '/blobs/demo/uploads/w1/a%20b.txt' })).statusCode).toBe(404);
  });

  test.each([
    '/blobs/demo/uploads/..%2f..%2fother%2fuploads%2fx',
    '/blobs/demo/uploads/%2e%2e/x',
    '/blobs/demo/uploads//etc/passwd',
    '/blobs/..%2fother/uploads/x',
    '/blobs/demo/profiles/x',
    '/blobs/demo/uploads/a%00b',
    '/blobs/demo/uploads/a%5c..%5cb',
  ])('do not go to %s', async (url) => {
    expect([400, 403, 404]).toContain((await upload(url)).statusCode);
  });

  test.each(['../other', '..%2f..%2fprofiles/', '/x', 'a//b'])('are not listed by prefix %s', async (prefix) => {
    expect((await gateway({ method: 'GET', url: `/blobs/demo/uploads?prefix=${prefix}` })).statusCode).toBe(400);
  });
});

describe('presigned URLs', () => {
  const sign = async (payload: object) =>
    gateway({
      method: 'POST',
      url: '/presign',
      payload: { tenant: 'demo', kind: 'uploads', name: 'page.html', expiresInSeconds: 60, ...payload },
    });

  test('read one blob without any other right, and never as a document of ours', async () => {
    await upload('/blobs/demo/uploads/page.html', '<script>');
    const { url } = (await sign({ method: 'GET', contentType: 'text/html' })).json<{ url: string }>();
    const answer = await as(undefined, { method: 'GET', url });
    expect(answer.body).toBe('<script>');
    expect(answer.headers).toMatchObject({
      'content-disposition': "attachment; filename*=UTF-8''page.html",
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'private, no-store',
    });
    now += 61_000;
    expect((await as(undefined, { method: 'GET', url })).statusCode).toBe(410);
  });

  test('show a picture by its name when no type was signed', async () => {
    await upload('/blobs/demo/uploads/a.PNG');
    const { url } = (await sign({ method: 'GET', name: 'a.PNG' })).json<{ url: string }>();
    const { headers } = await as(undefined, { method: 'GET', url });
    expect([headers['content-type'], headers['content-disposition']]).toEqual([
      'image/png',
      "inline; filename*=UTF-8''a.PNG",
    ]);
  });

  test('take an upload of the size and type that were signed, and no other', async () => {
    const { url } = (await sign({ method: 'PUT', contentType: 'text/csv', size: 3 })).json<{ url: string }>();
    const put = (payload: string, type: string) =>
      as(undefined, { method: 'PUT', url, payload, headers: { 'content-type': type } });
    expect((await put('a,b', 'text/html')).statusCode).toBe(422);
    expect((await put('a,b,c', 'text/csv')).statusCode).toBe(422);
    expect((await put('a,b', 'text/csv')).statusCode).toBe(200);
    expect((await as(undefined, { method: 'GET', url })).statusCode).toBe(404);
  });

  test.each([{ expiresInSeconds: 0 }, { expiresInSeconds: 10_000_000 }, { name: '../x' }, { kind: 'profiles' }])(
    'are not made for %j',
    async (wish) => {
      expect([400, 422]).toContain((await sign({ method: 'GET', ...wish })).statusCode);
    },
  );
});

test('an error that nobody foresaw is told without its words', async () => {
  server.get('/boom', { config: { callers: 'anyone' } }, () => {
    throw new Error('secret detail');
  });
  server.get('/known', { config: { callers: 'anyone' } }, () => {
    throw new ApiError('profile_not_found');
  });
  const unknown = await as(undefined, { method: 'GET', url: '/boom' });
  expect(unknown.json()).toEqual({ code: 'internal', message: 'Internal error', retryable: false });
  expect((await as(undefined, { method: 'GET', url: '/known' })).json()).toMatchObject({
    message: 'Profile not found',
  });
});
