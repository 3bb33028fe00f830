import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Browser, chromium } from 'playwright-core';
import type { WebSocket } from 'ws';
import type { Scope } from '@podwright/api/tokens';
import { type TestPod, startPod } from './testing/pod.ts';
import { until } from './testing/processes.ts';
import { type TestSite, startSite } from './testing/site.ts';

// A real browser on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let pod: TestPod;
let site: TestSite;
beforeAll(async () => {
  site = await startSite((request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<title>site</title><p>${request.url}</p>`);
  });
  pod = await startPod({ floor: { allowInternal: [{ cidr: `${site.address}/32`, ports: [site.port] }] } });
});
afterAll(async () => {
  await pod.end();
  site.close();
});

const connect = async (): Promise<Browser> => {
  const { url, headers } = await pod.cdp();
  return chromium.connectOverCDP(url, { headers });
};
const firstPage = (browser: Browser) => browser.contexts()[0]!.pages()[0]!;
const closed = async (socket: WebSocket): Promise<number> => {
  const [code] = (await once(socket, 'close')) as [number];
  return code;
};
/** Status of an upgrade that was refused. */
const refusedWith = async (socket: WebSocket): Promise<number | undefined> => {
  socket.on('error', () => undefined);
  const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode?: number }];
  return answer.statusCode;
};

describe('a pod that serves nobody yet', () => {
  test('is ready when Chromium, display and sandbox are proved', async () => {
    const status = await pod.status();
    expect(status).toMatchObject({ podUid: pod.podUid, boundTo: null, ready: true, profileLoaded: false });
    expect(status.browserVersion).toContain('Chrome/156');
    expect(status.sandbox).toMatchObject({ found: 'Seccomp', chromiumAdequate: true });
    expect(status.isolation).toEqual({ checked: true, reached: [] });
  });

  test.each<[string, string, Scope]>([
    ['PUT', '/viewport', 'control'],
    ['GET', '/profile', 'profile'],
    ['GET', '/files/downloads', 'files'],
    ['GET', '/cdp/json/list', 'cdp'],
    ['POST', '/quiesce', 'quiesce'],
  ])('opens nothing else: %s %s', async (method, path, scope) => {
    expect((await pod.call(method, path, scope)).status).toBe(403);
  });

  test.each([
    ['a body for another session than the token', { sessionUid: crypto.randomUUID() }, 403],
    ['a viewport larger than the screen', { viewport: { width: 3000, height: 1000 } }, 422],
    ['a viewport smaller than any', { viewport: { width: 10, height: 10 } }, 422],
    ['a start page that is a file', { startUrl: 'file:///etc/passwd' }, 422],
    ['an upstream proxy of a kind it has not', { upstreamProxy: 'ftp://proxy.example' }, 422],
    ['a session that is no UUID', { sessionUid: 'x' }, 422],
  ])('is not bound by %s', async (_, request, status) => {
    expect((await pod.bind(request)).status).toBe(status);
    expect((await pod.status()).boundTo).toBeNull();
  });
});

describe('a bound pod', () => {
  beforeAll(async () => {
    const answer = await pod.bind({
      viewport: { width: 1280, height: 720 },
      locale: 'de-DE',
      timezone: 'Europe/Berlin',
      startUrl: `${site.origin}/start`,
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ boundTo: pod.sessionUid, viewport: { width: 1280, height: 720 } });
  });

  test('gives the same answer to the same bind', async () => {
    expect((await pod.bind({ viewport: { width: 500, height: 500 } })).status).toBe(200);
    expect(await pod.status()).toMatchObject({ viewport: { width: 1280, height: 720 } });
  });

  test('shows the start page in the size, language and time zone of the session, on new pages too', async () => {
    const browser = await connect();
    const page = firstPage(browser);
    await page.waitForURL(`${site.origin}/start`);
    const context = browser.contexts()[0]!;
    const other = await context.newPage();
    await other.goto(`${site.origin}/other`);
    for (const each of [page, other]) {
      expect(
        await each.evaluate(
          '[innerWidth, innerHeight, navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone, (1.5).toLocaleString()]',
        ),
      ).toEqual([1280, 720, 'de-DE', 'Europe/Berlin', '1,5']);
    }
    await other.close();
    await browser.close();
  });

  test('lets Playwright work in a context of its own and lives on when it leaves', async () => {
    const browser = await connect();
    const context = await browser.newContext({
      viewport: { width: 800, height: 600 },
      timezoneId: 'Asia/Tokyo',
      locale: 'fr-FR',
    });
    const page = await context.newPage();
    await page.goto(`${site.origin}/own`);
    expect(await page.locator('p').textContent()).toBe('/own');
    expect(await page.evaluate('[innerWidth, navigator.language]')).toEqual([800, 'fr-FR']);
    expect((await pod.status()).activity.cdpClients).toBe(1);
    await browser.close();
    expect(await pod.status()).toMatchObject({ ready: true });
  });

  test('answers refused commands and Browser.close itself, and keeps the browser', async () => {
    const socket = await pod.socket('/cdp', 'cdp');
    await once(socket, 'open');
    socket.send('{"id":1,"method":"Target.setRemoteLocations","params":{"locations":[]}}');
    const [refused] = (await once(socket, 'message')) as [Buffer];
    expect(JSON.parse(refused.toString())).toMatchObject({ id: 1, error: { code: -32_000 } });
    socket.send('{"id":2,"method":"Browser.close"}');
    const [answer] = (await once(socket, 'message')) as [Buffer];
    expect(JSON.parse(answer.toString())).toEqual({ id: 2, result: {} });
    expect(await closed(socket)).toBe(1000);
    expect((await pod.status()).counters).toMatchObject({ 'cdp_refused_Target.setRemoteLocations': 1 });
  });

  test('closes a client that repeats a member, and answers its pings', async () => {
    const socket = await pod.socket('/cdp', 'cdp');
    await once(socket, 'open');
    socket.ping('there?');
    const [data] = (await once(socket, 'pong')) as [Buffer];
    expect(data.toString()).toBe('there?');
    socket.send('{"id":1,"method":"Browser.getVersion","method":"Browser.crash"}');
    expect(await closed(socket)).toBe(1008);
  });

  test('puts its answers between the messages of a busy browser', async () => {
    const browser = await connect();
    const session = await browser.newBrowserCDPSession();
    const page = firstPage(browser);
    const client = await browser.contexts()[0]!.newCDPSession(page);
    const large = client.send('Runtime.evaluate', { expression: '"x".repeat(8_000_000)', returnByValue: true });
    const refusals = Array.from({ length: 20 }, () =>
      session.send('SystemInfo.getInfo').then(
        () => 'answered',
        () => 'refused',
      ),
    );
    expect(new Set(await Promise.all(refusals))).toEqual(new Set(['refused']));
    expect(String((await large).result.value).length).toBe(8_000_000);
    await browser.close();
  });

  test.each([
    ['an empty window', () => 'about:blank'],
    ['a window of its own site', () => `${site.origin}/window`],
  ])('lets a page open %s, and both go on', async (_, address) => {
    const list = (await (await pod.call('GET', '/cdp/json/list', 'cdp')).json()) as Record<string, string>[];
    // No client library: those let held windows go by themselves.
    const page = await pod.socket(`/cdp/devtools/page/${list.find(({ type }) => type === 'page')!['id']}`, 'cdp');
    await once(page, 'open');
    const ask = async (id: number, method: string, params: object): Promise<string> => {
      page.send(JSON.stringify({ id, method, params }));
      const [answer] = (await once(page, 'message', { signal: AbortSignal.timeout(15_000) })) as [Buffer];
      return answer.toString();
    };
    await ask(1, 'Page.navigate', { url: `${site.origin}/opener` });
    const expression = `new Promise((done) => {
      const opened = open(${JSON.stringify(address())});
      const look = setInterval(() => {
        if (opened.document.readyState !== 'complete' || opened.location.href !== ${JSON.stringify(address())}) return;
        clearInterval(look);
        opened.close();
        done('went on');
      }, 50);
    })`;
    const answer = await ask(2, 'Runtime.evaluate', { expression, awaitPromise: true, userGesture: true });
    expect(answer).toContain('went on');
    page.close();
  });

  test('hides the interface of the browser from discovery and attach', async () => {
    const list = (await (await pod.call('GET', '/cdp/json/list', 'cdp')).json()) as Record<string, string>[];
    expect(list.map(({ type }) => type)).not.toContain('browser_ui');
    expect(list[0]).toMatchObject({ webSocketDebuggerUrl: expect.stringContaining(`:${pod.port}/cdp/devtools/page/`) });
    expect(list[0]).not.toHaveProperty('devtoolsFrontendUrl');
    expect((await pod.call('GET', '/cdp/json/version/', 'cdp')).status).toBe(200);
    expect((await pod.call('PUT', '/cdp/json/new?file:///etc/passwd', 'cdp')).status).toBe(403);
    expect((await pod.call('PUT', '/cdp/json/new?about:blank', 'cdp')).status).toBe(200);
    const page = await pod.socket(`/cdp/devtools/page/${list[0]!['id']}`, 'cdp');
    await once(page, 'open');
    page.close();
    expect(await refusedWith(await pod.socket('/cdp/devtools/page/0123456789ABCDEF', 'cdp'))).toBe(404);
  });

  test('is held by one client when that client asks for it', async () => {
    const holder = await pod.socket('/cdp?mode=exclusive', 'cdp', { run: 'run-1', attempt: 1 });
    await once(holder, 'open');
    expect((await pod.status()).activity.exclusiveHolder).toBe('run-1');
    expect(await refusedWith(await pod.socket('/cdp', 'cdp'))).toBe(409);
    holder.close();
    await closed(holder);
    await until('the place to be free', async () => (await pod.status()).activity.exclusiveHolder === null);
  });

  test('is left to the newest attempt of a run', async () => {
    const first = await pod.socket('/cdp?mode=exclusive', 'cdp', { run: 'run-2', attempt: 1 });
    await once(first, 'open');
    const firstClosed = closed(first);
    const second = await pod.socket('/cdp?mode=exclusive', 'cdp', { run: 'run-2', attempt: 2 });
    await once(second, 'open');
    expect(await firstClosed).toBe(4004);
    expect(await refusedWith(await pod.socket('/cdp', 'cdp', { run: 'run-2', attempt: 1 }))).toBe(409);
    second.close();
    await closed(second);
  });

  test('closes a connection at the end its token names', async () => {
    const socket = await pod.socket('/cdp', 'cdp', { until: Math.ceil(Date.now() / 1000) });
    await once(socket, 'open');
    expect(await closed(socket)).toBe(4003);
  });

  test('keeps page and picture in the size that the holder of the lease sets', async () => {
    const set = async (viewer: string, width: number, more: object = {}) =>
      pod.call('PUT', '/viewport', 'control', { viewer, viewport: { width, height: 600 }, ...more });
    const first = await set('anna', 900);
    expect(await first.json()).toMatchObject({ viewport: { width: 900, height: 600 }, holder: 'anna' });
    expect((await set('bert', 700)).status).toBe(409);
    expect((await set('bert', 700, { takeover: true })).status).toBe(200);
    expect(pod.launcher.screens.at(-1)?.width).toBe(700);

    const socket = await pod.socket('/cdp', 'cdp');
    await once(socket, 'open');
    const browser = await connect();
    const page = firstPage(browser);
    const client = await browser.contexts()[0]!.newCDPSession(page);
    await client.send('Emulation.setDeviceMetricsOverride', {
      width: 400,
      height: 400,
      deviceScaleFactor: 1,
      mobile: false,
    });
    expect(await page.evaluate('innerWidth')).toBe(400);
    await browser.close();
    const again = await connect();
    await until('the size of the session', async () => (await firstPage(again).evaluate('innerWidth')) === 700);
    await again.close();
    socket.close();
  });

  test('opens a page in place of the last one', async () => {
    const browser = await connect();
    for (const page of browser.contexts()[0]!.pages()) await page.close();
    await until('a page', () => browser.contexts()[0]!.pages().length > 0);
    await browser.close();
    expect(await pod.status()).toMatchObject({ ready: true });
  });

  test('lets pages reach what the pool opens and nothing else, and counts it', async () => {
    const browser = await connect();
    const page = firstPage(browser);
    const before = (await pod.status()).egressBytes;
    expect((await page.goto(`${site.origin}/open`))?.status()).toBe(200);
    for (const inside of [
      'http://127.0.0.1:9222/json',
      `http://127.0.0.1:${pod.port}/healthz`,
      'http://169.254.169.254/',
      'http://10.0.0.1/',
    ]) {
      const answer = await page.goto(inside);
      expect(answer?.status()).toBe(403);
      expect(await page.textContent('body')).toContain('This browser may not go there');
    }
    expect((await pod.status()).egressBytes).toBeGreaterThan(before);
    await browser.close();
  });

  test('lists and serves downloads, and takes uploads', async () => {
    writeFileSync(join(pod.filesDir, 'downloads', 'a b.txt'), 'hello');
    const listing = (await (await pod.call('GET', '/files/downloads', 'files')).json()) as { files: object[] };
    expect(listing.files).toMatchObject([{ path: 'a b.txt', size: 5 }]);
    expect(await (await pod.call('GET', '/files/downloads/a%20b.txt', 'files')).text()).toBe('hello');
    expect((await pod.call('GET', '/files/downloads/..%2f..%2fetc%2fpasswd', 'files')).status).toBe(400);
    expect((await pod.call('PUT', '/files/uploads/report/x.pdf', 'files', 'bytes')).status).toBe(204);
  });

  test('refuses every token that is not for this door, now, and once', async () => {
    const ask = async (authorization?: string): Promise<number> =>
      (await fetch(`http://127.0.0.1:${pod.port}/status`, { headers: authorization ? { authorization } : {} })).status;
    expect(await ask()).toBe(401);
    expect(await ask('Bearer nonsense')).toBe(401);
    expect(await ask(`Bearer ${await pod.token('status', { subject: crypto.randomUUID() })}`)).toBe(403);
    expect(await ask(`Bearer ${await pod.token('cdp')}`)).toBe(403);
    const once = `Bearer ${await pod.token('status')}`;
    expect(await ask(once)).toBe(200);
    expect(await ask(once)).toBe(401);
    expect(await refusedWith(await pod.socket('/cdp', 'view'))).toBe(403);
    expect(await refusedWith(await pod.socket('/vnc', 'cdp'))).toBe(403);
    expect(await refusedWith(await pod.socket('/nowhere', 'cdp'))).toBe(404);
    expect((await pod.status()).counters).toMatchObject({ token_refused_replayed: 1, token_refused_subject: 6 });
  });

  test('turns quiet only when nobody used it, and then refuses work', async () => {
    const quiesce = async (idleForMs: number) =>
      (await (await pod.call('POST', '/quiesce', 'quiesce', { idleForMs })).json()) as { quiet: boolean };
    expect((await pod.call('POST', '/activity', 'activity', { kind: 'presence' })).status).toBe(204);
    expect(await quiesce(60_000)).toMatchObject({ quiet: false });
    const early = await pod.socket('/cdp', 'cdp');
    await once(early, 'open');
    expect(await quiesce(0)).toMatchObject({ quiet: true, until: expect.any(String) });
    early.send('{"id":1,"method":"Browser.getVersion"}');
    const [answer] = (await once(early, 'message')) as [Buffer];
    expect(JSON.parse(answer.toString())).toMatchObject({
      id: 1,
      error: { message: expect.stringContaining('evicted') },
    });
    expect(await refusedWith(await pod.socket('/cdp', 'cdp'))).toBe(503);
    expect((await pod.call('POST', '/activity', 'activity', { kind: 'presence' })).status).toBe(503);
    early.close();
  });
});
