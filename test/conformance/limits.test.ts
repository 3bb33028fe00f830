import { BrowserUse } from 'browser-use-sdk/v3';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { untilAnswering } from '../harness/cdp-ready.ts';
import { type TestTenant, api, createTenant, installation } from '../harness/installation.ts';
import { listObjects } from '../harness/kubectl.ts';

/** What a key, a tenant and a link may do, and what is answered when it is more. */
const { url } = installation();
interface Made {
  id: string;
  cdpUrl: string | null;
  liveUrl: string | null;
}

describe('a tenant that refuses instead of queueing', () => {
  let tenant: TestTenant;
  beforeAll(async () => {
    tenant = await createTenant('reject', { tenant: { whenFull: 'Reject', limits: { concurrentSessions: 1 } } });
  });
  afterAll(() => tenant?.remove());

  test('answers 429 in the words of the original and leaves nothing behind', async () => {
    const first = await api<Made>(tenant.apiKey, 'POST', '/api/v3/browsers', {});
    expect(first.status, JSON.stringify(first.body)).toBe(201);
    for (const [path, body] of [
      ['/api/v3/browsers', {}],
      ['/api/v3/sessions', { task: 'echo:x' }],
    ] as const) {
      const refused = await api<{ detail: string }>(tenant.apiKey, 'POST', path, body);
      expect(refused.status).toBe(429);
      expect(refused.body.detail).toMatch(/^Too many concurrent active sessions/);
      expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(10);
    }
    await expect
      .poll(async () => (await listObjects('browsersessions', tenant.namespace)).length, { timeout: 20_000 })
      .toBe(1);
    expect((await api<{ total: number }>(tenant.apiKey, 'GET', '/api/v3/sessions')).body.total).toBe(0);
  });

  test('an SDK that tries again gets exactly one session when there is room', async () => {
    const client = new BrowserUse({ apiKey: tenant.apiKey, baseUrl: `${url}/api/v3` });
    const [holder] = (await client.browsers.list({ filterBy: 'active' })).items;
    const waiting = client.sessions.create();
    await client.browsers.stop(holder!.id);
    // The place is free once the pod is gone, which may take longer than the SDK is patient.
    const outcome = await waiting.then(
      (session) => session.id,
      (error: { statusCode: number }) => error.statusCode,
    );
    const sessions = await client.sessions.list();
    if (outcome === 429) expect(sessions.total).toBe(0);
    else expect(sessions.sessions.map(({ id }) => id)).toEqual([outcome]);
  });
});

describe('creates per minute', () => {
  let tenant: TestTenant;
  beforeAll(async () => {
    tenant = await createTenant('rate', { tenant: { limits: { createsPerMinute: 2 } } });
  });
  afterAll(() => tenant?.remove());

  test('are counted and told in headers; the one too many waits for the next minute', async () => {
    const answers: Awaited<ReturnType<typeof api<Made>>>[] = [];
    for (let n = 0; n < 5; n += 1)
      answers.push(await api<Made>(tenant.apiKey, 'POST', '/api/v3/browsers', { timeout: 1 }));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers[0]?.headers.get('x-ratelimit-limit')).toBe('2');
    // A minute may turn in between, never two.
    expect(refused.length).toBeGreaterThanOrEqual(1);
    expect(refused[0]?.body).toMatchObject({ code: 'too_many_requests' });
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });
});

describe('a key with few scopes', () => {
  let owner: TestTenant;
  let watcher: TestTenant;
  beforeAll(async () => {
    [owner, watcher] = await Promise.all([createTenant('scope'), createTenant('watch', { scopes: 'view' })]);
  });
  afterAll(() => Promise.all([owner?.remove(), watcher?.remove()]));

  test('is told which one is missing', async () => {
    for (const [path, scope] of [
      ['/api/v3/browsers', 'browse'],
      ['/api/v3/sessions', 'run'],
    ] as const) {
      const refused = await api(watcher.apiKey, 'POST', path, {});
      expect(refused.status).toBe(403);
      expect(refused.body).toMatchObject({
        detail: `API key is missing required scope: ${scope}`,
        code: 'missing_scope',
      });
    }
    expect((await api(watcher.apiKey, 'GET', '/api/v3/browsers')).status).toBe(200);
  });

  test('a browser of full scopes has links of its own; revoking ends them and what stands on them', async () => {
    const made = (await api<Made>(owner.apiKey, 'POST', '/api/v3/browsers', {})).body;
    await untilAnswering(made.cdpUrl!);
    const browser = await chromium.connectOverCDP(made.cdpUrl!);
    const disconnected = new Promise<void>((resolve) => browser.once('disconnected', () => resolve()));
    expect((await api(owner.apiKey, 'DELETE', `/api/v3/browsers/${made.id}/links`)).status).toBe(204);
    await disconnected;
    expect((await fetch(`${made.cdpUrl}/json/version`)).status).toBe(410);
    const next = (await api<Made>(owner.apiKey, 'GET', `/api/v3/browsers/${made.id}`)).body;
    expect(next.cdpUrl).not.toBe(made.cdpUrl);
    await untilAnswering(next.cdpUrl!);
    await api(owner.apiKey, 'PATCH', `/api/v3/browsers/${made.id}`, { action: 'stop' });
  });
});

describe('the description of the API', () => {
  test.each(['/api/v3', '/v3'])('is served at %s/openapi.json with every route', async (prefix) => {
    const document = (await (await fetch(`${url}${prefix}/openapi.json`)).json()) as { openapi: string; paths: object };
    expect(document.openapi).toBe('3.1.0');
    expect(Object.keys(document.paths).toSorted()).toEqual(
      expect.arrayContaining([
        '/billing/account',
        '/browsers',
        '/browsers/{id}',
        '/profiles',
        '/sessions',
        '/sessions/{id}/messages',
      ]),
    );
  });

  test.each(['/api/v2/tasks', '/api/v4/runs', '/api/v3/workspaces'])('%s says that it is not offered', async (path) => {
    const { status, body } = await api(installation().apiKey, 'GET', path);
    expect(status).toBe(404);
    expect(body).toMatchObject({ code: 'not_offered' });
  });
});
