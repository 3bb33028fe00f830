import { type Browser, type Page, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestTenant, api, createTenant, installation } from '../harness/installation.ts';
import { untilAnswering } from '../harness/cdp-ready.ts';
import { launchWatcher, pageWidth, pictureVariety, pointOnScreen, screenshot, untilState } from './viewer-page.ts';

// Parts of the pages that functions below run in.
declare const document: {
  title: string;
  cookie: string;
  activeElement: { id: string };
  documentElement: { scrollWidth: number };
};
declare const localStorage: Record<string, string>;
declare const sessionStorage: Record<string, string>;

const { url, apiKey } = installation();
const base = `${url}/api/v3`;
const headers = { 'x-browser-use-api-key': apiKey, 'content-type': 'application/json' };
const post = async (path: string, body: unknown): Promise<Record<string, string>> => {
  const response = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(response.ok, await response.clone().text()).toBe(true);
  return (await response.json()) as Record<string, string>;
};
const stop = (id: string): Promise<Response> =>
  fetch(`${base}/browsers/${id}`, { method: 'PATCH', headers, body: JSON.stringify({ action: 'stop' }) });

/** A page with a button and a field in known places, which says what happened to it. */
const PAGE = `<!doctype html><style>*{margin:0}body{background:#fde68a;font:24px sans-serif}
button,input{position:absolute;left:40px;width:300px;height:60px;font:24px sans-serif}button{top:40px}input{top:140px}</style>
<button onclick="document.title='clicked'">Press</button><input placeholder="Type here">`;

let watcher: Browser;
let remote: Browser;
let remotePage: Page;
let made: Record<string, string>;

beforeAll(async () => {
  watcher = await launchWatcher();
  made = await post('/browsers', {});
  await untilAnswering(made['cdpUrl']!);
  remote = await chromium.connectOverCDP(made['cdpUrl']!);
  remotePage = remote.contexts()[0]!.pages()[0]!;
  await remotePage.setContent(PAGE);
  await remotePage.bringToFront();
});
afterAll(async () => {
  await stop(made['id']!);
  await Promise.all([remote?.close(), watcher?.close()]);
});
const open = async (address: string, size = { width: 1280, height: 800 }): Promise<Page> => {
  const page = await watcher.newPage({ viewport: size });
  await page.goto(address);
  return page;
};

describe('the viewer of a live browser', () => {
  test('shows its screen, and clicking and typing reach the page', async () => {
    const page = await open(made['liveUrl']!);
    await untilState(page, 'live');
    await expect.poll(() => pictureVariety(page), { timeout: 30_000 }).toBeGreaterThan(0.01);
    await screenshot(page, 'live');

    const button = await pointOnScreen(page, remotePage, { x: 100, y: 70 });
    await page.mouse.click(button.x, button.y);
    await expect.poll(() => remotePage.title(), { timeout: 10_000 }).toBe('clicked');

    const field = await pointOnScreen(page, remotePage, { x: 100, y: 170 });
    await page.mouse.click(field.x, field.y);
    await page.keyboard.type('hello 42', { delay: 30 });
    await expect.poll(() => remotePage.inputValue('input'), { timeout: 10_000 }).toBe('hello 42');
    await screenshot(page, 'typed');
    await page.close();
  });

  test('handing back stops the mouse, and the keyboard gets out of the screen', async () => {
    const page = await open(made['liveUrl']!);
    await untilState(page, 'live');
    await remotePage.evaluate(() => (document.title = 'untouched'));
    await page.getByRole('button', { name: 'Hand back' }).click();
    const button = await pointOnScreen(page, remotePage, { x: 100, y: 70 });
    await page.mouse.click(button.x, button.y);
    await page.waitForTimeout(500);
    expect(await remotePage.title()).toBe('untouched');
    await page.getByRole('button', { name: 'Take control' }).click();
    await page.keyboard.press('Control+Alt+Escape');
    expect(await page.evaluate(() => document.activeElement.id)).toBe('control');
    await page.close();
  });

  test('survives a reload, and keeps its credential out of address and storage', async () => {
    const page = await open(made['liveUrl']!);
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    page.on('websocket', (socket) => addresses.push(socket.url()));
    await untilState(page, 'live');
    await page.reload();
    await untilState(page, 'live');
    const stored = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    expect(stored).toBe('[{},{},""]');
    expect(page.url()).toBe(made['liveUrl']);
    const token = made['liveUrl']!.split('/').at(-1)!;
    expect(addresses.filter((address) => address.includes(token) && address !== made['liveUrl'])).toEqual([]);
    await page.close();
  });

  test('fits a phone: everything can be reached at 390 pixels', async () => {
    const page = await open(made['liveUrl']!, { width: 390, height: 844 });
    await untilState(page, 'live');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await expect.poll(() => page.getByRole('button', { name: /Hand back|Take control/ }).isVisible()).toBe(true);
    await screenshot(page, 'phone');
    await page.close();
  });

  test('a size that is chosen becomes the size of the page', async () => {
    const page = await open(made['liveUrl']!);
    await untilState(page, 'live');
    await page.getByLabel('Size').selectOption('tablet');
    await expect.poll(() => pageWidth(remotePage), { timeout: 15_000 }).toBe(768);
    await page.getByLabel('Size').selectOption('default');
    await expect.poll(() => pageWidth(remotePage), { timeout: 15_000 }).not.toBe(768);
    await page.close();
  });

  test('a ticket to watch opens once and lets nothing through', async () => {
    const ticket = await post(`/browsers/${made['id']}/viewer-tickets`, { mode: 'view' });
    const page = await open(ticket['url']!);
    await untilState(page, 'live');
    expect(await page.getByRole('button', { name: 'Take control' }).isVisible()).toBe(false);
    await screenshot(page, 'watching');
    const second = await open(ticket['url']!);
    await untilState(second, 'ended');
    expect(await second.textContent('#cover-text')).toContain('used already');
    await screenshot(second, 'ticket-used');
    await Promise.all([page.close(), second.close()]);
  });

  test('its answers carry the headers that keep the address in the page', async () => {
    const response = await fetch(made['liveUrl']!);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain('frame-ancestors');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(await response.text()).not.toContain(made['liveUrl']!.split('/').at(-1)!);
  });
});

describe('the viewer of a run', () => {
  test('shows its goal and steps, and only watches until control is taken', async () => {
    const session = await post('/sessions', { task: 'slow:24' });
    const page = await open(session['liveUrl']!);
    await untilState(page, 'live');
    await expect.poll(() => page.textContent('#goal')).toBe('slow:24');
    await expect.poll(() => page.textContent('#run-state'), { timeout: 60_000 }).toBe('working');
    await expect.poll(() => page.textContent('#steps'), { timeout: 60_000 }).toMatch(/[1-9]/);
    expect(await page.getByRole('button', { name: 'Take control' }).isVisible()).toBe(true);
    await screenshot(page, 'run');
    await page.getByRole('button', { name: 'Take control' }).click();
    expect(await page.getByRole('button', { name: 'Hand back' }).isVisible()).toBe(true);
    await fetch(`${base}/sessions/${session['id']}/stop`, { method: 'POST', headers });
    await untilState(page, 'ended', 30_000);
    await page.close();
  });
});

describe('an idle browser', () => {
  let tenant: TestTenant;
  beforeAll(async () => {
    tenant = await createTenant('presence');
  });
  afterAll(() => tenant?.remove());

  test('stays while somebody watches it, and goes when nobody does', async () => {
    const session = await tenant.session('watched', { lifetime: { idleTimeout: '35s' } });
    await tenant.phase('watched', 'Ready');
    const links = await api<{ liveUrl: string }>(tenant.apiKey, 'GET', `/api/v3/browsers/${session.metadata.uid}`);
    const page = await open(links.body.liveUrl);
    await untilState(page, 'live');
    await page.waitForTimeout(75_000);
    expect((await tenant.get('watched'))?.spec.stop).toBeUndefined();
    await page.close();
    const ended = await tenant.phase('watched', 'Stopped', 120_000);
    expect(ended.spec.stop?.reason).toBe('Idle');
  });
});

describe('the end of a browser', () => {
  test('is told in an open viewer, with its reason', async () => {
    const other = await post('/browsers', {});
    const page = await open(other['liveUrl']!);
    await untilState(page, 'live');
    await stop(other['id']!);
    await untilState(page, 'ended', 20_000);
    expect(await page.textContent('#cover-text')).toMatch(/asked for the stop|session ended/i);
    await screenshot(page, 'ended');
    await page.reload();
    await untilState(page, 'ended', 20_000);
    await page.close();
  });

  test('a wrong address shows nothing but that it is over', async () => {
    const page = await open(`${made['liveUrl']!.slice(0, -4)}AAAA`);
    await untilState(page, 'ended');
    expect(await page.textContent('#cover-text')).toContain('This address is not valid.');
    await page.close();
  });
});
