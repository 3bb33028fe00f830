import { BrowserUse } from 'browser-use-sdk/v3';
import { chromium } from 'playwright-core';
import { connect } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { untilAnswering } from '../harness/cdp-ready.ts';
import { installation } from '../harness/installation.ts';

/** Browsers of the unmodified npm SDK, and the CDP clients that people connect to them. */
const { url, apiKey } = installation();
const client = new BrowserUse({ apiKey, baseUrl: `${url}/api/v3` });
const statusOf = (act: Promise<unknown>): Promise<number | undefined> =>
  act.then(
    () => undefined,
    (error: { statusCode?: number }) => error.statusCode,
  );

describe('creating', () => {
  test.each([
    ['without wishes', {}],
    ['with a null proxy', { proxyCountryCode: null }],
    ['with a country in upper case', { proxyCountryCode: 'US' as never }],
  ])('a browser %s answers at once with its addresses', async (_name, body) => {
    const started = performance.now();
    const made = await client.browsers.create(body);
    expect(performance.now() - started).toBeLessThan(30_000);
    expect(made.cdpUrl?.startsWith(`${url}/cdp/`)).toBe(true);
    expect(made.liveUrl?.startsWith(`${url}/view/`)).toBe(true);
    expect(made).toMatchObject({ status: 'active', agentSessionId: null });
    expect(made.timeoutAt).toMatch(/Z$/);
    await client.browsers.stop(made.id);
  });

  test('too long is 403 in the words of the original, too much metadata is refused by the SDK', async () => {
    await expect(client.browsers.create({ timeout: 241 })).rejects.toMatchObject({
      statusCode: 403,
      message: 'Maximum session timeout is 4 hours (240 minutes).',
    });
    const metadata = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`k${n}`, 'v']));
    expect(() => client.browsers.create({ metadata })).toThrow(RangeError);
    expect(await statusOf(client.browsers.create({ browserScreenWidth: 800 }))).toBe(422);
    expect(await statusOf(client.browsers.create({ profileId: crypto.randomUUID() }))).toBe(404);
  });

  test('the same Idempotency-Key gives the same browser, and another request with it is a conflict', async () => {
    const key = crypto.randomUUID();
    const create = (body: object): Promise<Response> =>
      fetch(`${url}/api/v3/browsers`, {
        method: 'POST',
        headers: { 'x-browser-use-api-key': apiKey, 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify(body),
      });
    const [first, second] = await Promise.all([create({}), create({})]);
    const [one, two] = (await Promise.all([first.json(), second.json()])) as { id: string }[];
    expect(two?.id).toBe(one?.id);
    const conflict = await create({ timeout: 5 });
    expect(conflict.status).toBe(409);
    expect(await conflict.json()).toMatchObject({ code: 'idempotency_conflict' });
    await client.browsers.stop(one!.id);
  });
});

describe('a browser', () => {
  let made: Awaited<ReturnType<typeof client.browsers.create>>;
  let cdpUrl: string;
  const tag = crypto.randomUUID();
  beforeAll(async () => {
    made = await client.browsers.create({ metadata: { tag, kind: 'test' } });
    cdpUrl = made.cdpUrl!;
    await untilAnswering(cdpUrl);
  });
  afterAll(() => client.browsers.stop(made.id));

  test.each(['/json/version', '/json/version/'])(
    'tells its socket at %s, on the same host and prefix',
    async (path) => {
      const version = (await (await fetch(cdpUrl + path)).json()) as { webSocketDebuggerUrl: string };
      expect(version.webSocketDebuggerUrl.startsWith(`${cdpUrl.replace(/^http/, 'ws')}/devtools/browser/`)).toBe(true);
    },
  );

  test('lists its pages, each with a socket of the same prefix', async () => {
    for (const path of ['/json', '/json/list']) {
      const targets = (await (await fetch(cdpUrl + path)).json()) as { type: string; webSocketDebuggerUrl: string }[];
      expect(targets.some(({ type }) => type === 'page')).toBe(true);
      expect(targets.every((target) => target.webSocketDebuggerUrl.startsWith(cdpUrl.replace(/^http/, 'ws')))).toBe(
        true,
      );
    }
  });

  test('is driven by Playwright over HTTP and over its socket', async () => {
    for (const address of [cdpUrl, cdpUrl.replace(/^http/, 'ws')]) {
      const browser = await chromium.connectOverCDP(address);
      const page = await browser.contexts()[0]!.newPage();
      await page.setContent('<title>Read me</title>');
      expect(await page.title()).toBe('Read me');
      await page.close();
      await browser.close();
    }
  });

  test('is driven by Puppeteer with browserURL and browserWSEndpoint', async () => {
    for (const where of [{ browserURL: cdpUrl }, { browserWSEndpoint: cdpUrl.replace(/^http/, 'ws') }]) {
      const browser = await connect(where);
      const page = await browser.newPage();
      await page.setContent('<title>Read me too</title>');
      expect(await page.title()).toBe('Read me too');
      await page.close();
      await browser.disconnect();
    }
  });

  test('is not opened by a wrong address', async () => {
    const wrong = `${cdpUrl.slice(0, -6)}AAAAAA`;
    expect((await fetch(`${wrong}/json/version`)).status).toBe(401);
    await expect(chromium.connectOverCDP(wrong.replace(/^http/, 'ws'))).rejects.toThrow(/401/);
    await expect(
      chromium.connectOverCDP(made.liveUrl!.replace(/^http/, 'ws').replace('/view/', '/cdp/')),
    ).rejects.toThrow(/401/);
  });

  test('is found by state and metadata', async () => {
    const ids = async (query: object): Promise<string[]> =>
      (await client.browsers.list({ pageSize: 100, ...query })).items.map(({ id }) => id);
    expect(await ids({ filterBy: 'active', metadata: [`tag=${tag}`, 'kind'] })).toEqual([made.id]);
    expect(await ids({ metadata: [`tag=${tag}`, 'kind=other'] })).toEqual([]);
    expect(await ids({ filterBy: 'stopped', metadata: [`tag=${tag}`] })).toEqual([]);
    const view = await client.browsers.get(made.id);
    expect(view).toMatchObject({ id: made.id, metadata: { tag, kind: 'test' }, recordingAvailable: false });
    expect(await client.browsers.downloads(made.id)).toEqual({ files: [], nextCursor: null, hasMore: false });
  });
});

describe('the end of a browser', () => {
  test('is told at once, shuts its doors and closes what is connected', async () => {
    const made = await client.browsers.create({});
    await untilAnswering(made.cdpUrl!);
    const browser = await chromium.connectOverCDP(made.cdpUrl!);
    const disconnected = new Promise<void>((resolve) => browser.once('disconnected', () => resolve()));
    const stopped = await client.browsers.stop(made.id);
    expect(stopped).toMatchObject({ status: 'stopped', cdpUrl: null, liveUrl: null });
    expect(stopped.finishedAt).not.toBeNull();
    expect((await client.browsers.get(made.id)).status).toBe('stopped');
    await disconnected;
    expect((await fetch(`${made.cdpUrl}/json/version`)).status).toBe(410);
  });
});

describe('a browser of an agent session', () => {
  test('names its session', async () => {
    const session = await client.sessions.create();
    const { items } = await client.browsers.list({ agentSessionId: session.id });
    expect(items).toHaveLength(1);
    expect(items[0]?.agentSessionId).toBe(session.id);
    await client.sessions.delete(session.id);
  });
});
