import { BrowserUse } from 'browser-use-sdk/v3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createTenant, installation, type TestTenant } from '../harness/installation.ts';
import { recordFetch } from './recorder.ts';

/** The unmodified npm SDK against the installation: rows of the plan are named by what they do. */
const { url, apiKey } = installation();
delete process.env['BROWSER_USE_X402_PRIVATE_KEY'];
const client = new BrowserUse({ apiKey, baseUrl: `${url}/api/v3` });

const DECIMAL = /^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** What the SDK throws, reduced to what callers look at. */
const refusal = async (act: Promise<unknown>): Promise<{ status: number | undefined; message: string }> => {
  try {
    await act;
    return { status: undefined, message: 'it did not fail' };
  } catch (error) {
    const { statusCode, message } = error as { statusCode?: number; message: string };
    return { status: statusCode, message };
  }
};
const untilIdle = async (id: string): Promise<void> => {
  await expect
    .poll(async () => (await client.sessions.get(id)).status, { timeout: 150_000, interval: 500 })
    .toBe('idle');
};

describe.each(['/api/v3', '/v3'])('a run under %s', (prefix) => {
  test('ends stopped with its output, was never seen idle, and every call went to the installation', async () => {
    const recorder = recordFetch();
    try {
      const result = await new BrowserUse({ apiKey, baseUrl: url + prefix }).run('echo:hi', { interval: 500 });
      expect(result).toMatchObject({ status: 'stopped', output: 'hi', isTaskSuccessful: true, model: 'bu-max' });
      for (const sum of [
        result.totalCostUsd,
        result.llmCostUsd,
        result.browserCostUsd,
        result.proxyCostUsd,
        result.proxyUsedMb,
      ]) {
        expect(sum).toMatch(DECIMAL);
      }
      expect(result.createdAt).toMatch(INSTANT);
    } finally {
      recorder.stop();
    }
    const statuses = recorder.exchanges.map(({ body }) => (body as { status: string }).status);
    expect(recorder.exchanges.filter(({ method }) => method === 'GET').length).toBeGreaterThanOrEqual(2);
    expect(statuses).not.toContain('idle');
    expect(recorder.exchanges.every((exchange) => exchange.url.startsWith(`${url}${prefix}/`))).toBe(true);
    const first = recorder.exchanges[0]?.body as { liveUrl: string };
    expect(first.liveUrl.startsWith(`${url}/view/`)).toBe(true);
  });
});

describe('conversations', () => {
  test('a follow-up at once gives its own output, again and again', async () => {
    const first = await client.run('json:{"n":0}', { keepAlive: true, interval: 200 });
    expect(first.status).toBe('idle');
    for (let n = 1; n <= 50; n += 1) {
      const next = await client.run(`json:{"n":${n}}`, { sessionId: first.id, interval: 200 });
      expect(next).toMatchObject({ id: first.id, status: 'idle', output: { n } });
    }
    const stopped = await client.sessions.stop(first.id);
    expect(stopped.status).toBe('stopped');
  }, 600_000);

  test('a schema gives a typed object', async () => {
    const Shop = z.object({ name: z.string(), items: z.array(z.object({ sku: z.string(), count: z.number() })) });
    const wanted = { name: 'Copper', items: [{ sku: 'a-1', count: 3 }] };
    const result = await client.run(`json:${JSON.stringify(wanted)}`, { schema: Shop, interval: 500 });
    expect(result.output).toEqual(wanted);
    expect(result.outputSchema).not.toBeNull();
  });

  test('an answer that does not conform is a failure of the task', async () => {
    const created = await client.sessions.create({
      task: 'json:{"name":5}',
      outputSchema: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    });
    await expect.poll(async () => (await client.sessions.get(created.id)).status, { timeout: 150_000 }).toBe('stopped');
    expect(await client.sessions.get(created.id)).toMatchObject({
      isTaskSuccessful: false,
      failureKind: 'output_invalid',
    });
  });

  test('iterating gives every message once and in order, and a follow-up only the new ones', async () => {
    const run = client.run('slow:4', { keepAlive: true });
    const seen: string[] = [];
    for await (const message of run) seen.push(message.id);
    const id = run.result!.id;
    expect(new Set(seen).size).toBe(seen.length);
    const { messages } = await client.sessions.messages(id, { limit: 100 });
    expect(seen).toEqual(messages.map((message) => message.id));
    expect(messages[0]).toMatchObject({ role: 'human', type: 'user_message', data: 'slow:4' });

    const fresh: string[] = [];
    for await (const message of client.run('echo:again', { sessionId: id, keepAlive: true })) fresh.push(message.id);
    expect(fresh.length).toBeGreaterThan(0);
    expect(fresh.filter((message) => seen.includes(message))).toEqual([]);
    await client.sessions.stop(id);
  });
});

describe('sessions', () => {
  test('without a task they become idle; a sessionId without a task is refused in words', async () => {
    const created = await client.sessions.create();
    expect(['created', 'idle']).toContain(created.status);
    const refused = await refusal(client.sessions.create({ sessionId: created.id }));
    expect(refused.status).toBe(422);
    expect(refused.message).toContain('task');
    await untilIdle(created.id);
    await client.sessions.stop(created.id);
  });

  test('stopping the task leaves the browser, stopping the session ends it, and both may be repeated', async () => {
    const created = await client.sessions.create({ task: 'slow:60' });
    await expect.poll(async () => (await client.sessions.get(created.id)).status, { timeout: 150_000 }).toBe('running');
    const busy = await refusal(client.sessions.create({ sessionId: created.id, task: 'echo:x' }));
    expect(busy.status).toBe(409);
    expect((await client.sessions.stop(created.id, { strategy: 'task' })).status).toBe('idle');
    expect((await client.sessions.get(created.id)).status).toBe('idle');
    const next = await client.run('echo:after', { sessionId: created.id });
    expect(next.output).toBe('after');
    expect((await client.sessions.stop(created.id)).status).toBe('stopped');
    expect((await client.sessions.stop(created.id)).status).toBe('stopped');
    expect((await refusal(client.sessions.create({ sessionId: created.id, task: 'echo:x' }))).status).toBe(409);
  });

  test('deleted ones are gone; unknown and malformed ids are told apart', async () => {
    const created = await client.sessions.create();
    expect(await client.sessions.delete(created.id)).toBeUndefined();
    expect(await refusal(client.sessions.get(created.id))).toEqual({ status: 404, message: 'Session not found' });
    expect((await refusal(client.sessions.get(crypto.randomUUID()))).status).toBe(404);
    expect((await refusal(client.sessions.get('abc'))).status).toBe(422);
  });

  test('pages of the list add up, and a page of 101 is refused', async () => {
    const { total } = await client.sessions.list({ page: 1, page_size: 1 });
    const ids: string[] = [];
    for (let page = 1; ids.length < total && page <= total; page += 1) {
      const { sessions } = await client.sessions.list({ page, page_size: 5 });
      if (sessions.length === 0) break;
      ids.push(...sessions.map(({ id }) => id));
    }
    expect(new Set(ids).size).toBe(total);
    expect((await client.sessions.list({ page_size: 100 })).pageSize).toBe(100);
    expect((await refusal(client.sessions.list({ page_size: 101 }))).status).toBe(422);
  });

  test('messages are read by cursor: newest without one, and an unknown one gives nothing', async () => {
    const { id } = await client.run('echo:m', { interval: 500 });
    const all = (await client.sessions.messages(id, { limit: 100 })).messages;
    expect(all.length).toBeGreaterThanOrEqual(3);
    const [first, second] = all;
    const last = all.at(-1)!;
    expect((await client.sessions.messages(id, { limit: 1 })).messages).toEqual([last]);
    expect((await client.sessions.messages(id, { after: first!.id, limit: 1 })).messages).toEqual([second]);
    expect((await client.sessions.messages(id, { after: last.id })).messages).toEqual([]);
    expect((await client.sessions.messages(id, { before: second!.id })).messages).toEqual([first]);
    expect((await client.sessions.messages(id, { after: crypto.randomUUID() })).messages).toEqual([]);
  });
});

describe('profiles, account and keys', () => {
  test('profiles are made, found, changed and deleted', async () => {
    const name = `shop ${crypto.randomUUID().slice(0, 8)}`;
    const made = await client.profiles.create({ name, userId: 'u-1' });
    expect(made).toMatchObject({ name, userId: 'u-1', cookieDomains: null });
    expect((await client.profiles.get(made.id)).name).toBe(name);
    expect((await client.profiles.update(made.id, { name: `${name} 2` })).name).toBe(`${name} 2`);
    const { items } = await client.profiles.list({ query: name });
    expect(items.map(({ id }) => id)).toEqual([made.id]);
    expect((await client.profiles.list({ page: 1, page_size: 1 })).pageSize).toBe(1);
    expect((await client.profiles.create()).name).toBeNull();
    await client.profiles.delete(made.id);
    expect((await refusal(client.profiles.get(made.id))).status).toBe(404);
    for (const { id, name: left } of (await client.profiles.list({ page_size: 100 })).items) {
      if (left === null) await client.profiles.delete(id);
    }
  });

  test('the account has limits and a plan', async () => {
    const account = await client.billing.account();
    expect(account.planInfo.planName).toBe('self-hosted');
    expect(account.totalCreditsBalanceUsd).toBeTypeOf('number');
  });

  test('a bad key is 401, and no key is refused by the SDK itself', async () => {
    const stranger = new BrowserUse({ apiKey: 'bu_test', baseUrl: `${url}/api/v3` });
    expect(await refusal(stranger.sessions.list())).toEqual({ status: 401, message: 'Invalid API key' });
    expect(() => new BrowserUse({ apiKey: '', baseUrl: `${url}/api/v3` })).toThrow();
  });

  test('what is not offered says so', async () => {
    expect(await refusal(client.workspaces.list())).toEqual({
      status: 404,
      message: 'This feature of the hosted service is not offered here.',
    });
  });
});

describe('two tenants', () => {
  let tenant: TestTenant;
  beforeAll(async () => {
    tenant = await createTenant('conformance');
  });
  afterAll(() => tenant?.remove());

  test('see nothing of each other', async () => {
    const other = new BrowserUse({ apiKey: tenant.apiKey, baseUrl: `${url}/api/v3` });
    const session = await client.sessions.create();
    const browser = await client.browsers.create({});
    const profile = await client.profiles.create({ name: 'mine' });
    try {
      expect((await refusal(other.sessions.get(session.id))).status).toBe(404);
      expect((await refusal(other.sessions.stop(session.id))).status).toBe(404);
      expect((await refusal(other.sessions.messages(session.id))).status).toBe(404);
      expect((await refusal(other.browsers.get(browser.id))).status).toBe(404);
      expect((await refusal(other.browsers.stop(browser.id))).status).toBe(404);
      expect((await refusal(other.profiles.get(profile.id))).status).toBe(404);
      expect((await refusal(other.browsers.create({ profileId: profile.id }))).status).toBe(404);
      expect((await other.sessions.list()).total).toBe(0);
      expect((await other.browsers.list()).totalItems).toBe(0);
      expect((await other.profiles.list()).totalItems).toBe(0);
    } finally {
      await Promise.all([
        client.sessions.delete(session.id),
        client.browsers.stop(browser.id),
        client.profiles.delete(profile.id),
      ]);
    }
  });
});
