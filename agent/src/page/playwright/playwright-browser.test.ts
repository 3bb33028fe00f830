import { createServer } from 'node:http';
import { chromium as chromiumClient } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createDemoSite } from '../../demo-site/demo-site.ts';
import { type TestChromium, startChromium } from '../../testing/chromium.ts';
import { listen, stopListening } from '../../testing/http.ts';
import type { AgentBrowser } from '../browser.ts';
import { renderSnapshot } from '../render-snapshot.ts';
import { connectBrowser } from './playwright-browser.ts';
import { revivePages } from './revive-pages.ts';

const never = new AbortController().signal;
const pages = new Map<string, string>();
const site = createServer((request, response) => {
  const html = pages.get(request.url ?? '');
  response.writeHead(html === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(html ?? 'nothing');
});
const shop = createDemoSite({ now: () => new Date() });
let chromium: TestChromium;
let browser: AgentBrowser;
let base: string;
let shopUrl: string;

beforeAll(async () => {
  [chromium, base, shopUrl] = await Promise.all([startChromium(), listen(site), listen(shop.server)]);
  browser = await connect();
});
afterAll(async () => {
  await browser.close();
  await chromium.close();
  await stopListening(site);
  await stopListening(shop.server);
});

const connect = (options: { tab?: string | null; isAllowed?: (url: string) => boolean } = {}): Promise<AgentBrowser> =>
  connectBrowser({
    endpoint: chromium.endpoint,
    headers: {},
    tab: options.tab ?? null,
    firstSnapshot: 1,
    notices: [],
    isAllowed: options.isAllowed ?? (() => true),
    timeoutMs: 10_000,
    now: Date.now,
    signal: never,
  });

/** Opens a page with this body and gives its snapshot as text. */
async function show(body: string, path = '/page'): Promise<string> {
  pages.set(path, `<!doctype html><title>Test</title>${body}`);
  await browser.open(base + path, never);
  return look();
}

async function look(): Promise<string> {
  const { snapshot } = await browser.observe(never);
  return snapshot ? renderSnapshot(snapshot) : '';
}

/** The ref of the first control whose line contains `words`. */
async function ref(words: string): Promise<string> {
  const line = (await look()).split('\n').find((candidate) => candidate.includes('[s') && candidate.includes(words));
  const found = /\[(s\d+e\d+)\]/.exec(line ?? '')?.[1];
  if (found === undefined) throw new Error(`no control with ${words}`);
  return found;
}

describe('a snapshot', () => {
  test('shows a page in reading order with refs, values and groups', async () => {
    await browser.open(shopUrl, never);
    const text = await look();
    expect(text).toContain('# All products');
    expect(text).toMatch(/\[s\d+e\d+\] searchbox "Search" placeholder="Name of a product"/);
    expect(text).toMatch(/\] combobox "Sort by" value="Catalogue" options: "Catalogue", "Price"/);
    expect(text).toMatch(/\] checkbox "Only in stock" unchecked/);
    expect(text).toMatch(/item:\n {2}\[s\d+e\d+\] link "Copper Kettle" -> \/products\/copper-kettle\n {2}49\.90 EUR/);
  });

  test('leaves out what nobody can see', async () => {
    const text = await show(
      '<p style="display:none">secret one</p><p style="visibility:hidden">secret two</p><button hidden>secret three</button><p>open</p>',
    );
    expect(text).toBe('open');
  });

  test('reaches into frames and open shadow roots', async () => {
    pages.set('/inner', '<!doctype html><p>inside</p><button>Pay</button>');
    const text = await show(
      `<iframe title="payment" src="/inner"></iframe><div id="host"></div>
       <script>document.getElementById('host').attachShadow({mode: 'open'}).innerHTML = '<p>Serial 77</p><button>Copy</button>'</script>`,
    );
    expect(text).toMatch(/frame "payment":\n {2}inside\n {2}\[s\d+e1\] button "Pay"/);
    expect(text).toMatch(/Serial 77\n\[s\d+e2\] button "Copy"/);
  });

  test('finds controls that only scripts and styles make so', async () => {
    const text = await show(
      `<div style="cursor:pointer" id="d">Delegated</div><span role="button">Role</span>
       <label><input type="checkbox" style="display:none">Styled away</label>`,
    );
    expect(text).toMatch(/clickable "Delegated"/);
    expect(text).toMatch(/button "Role"/);
    expect(text).toMatch(/checkbox "Styled away" unchecked/);
  });

  test('never shows a password', async () => {
    const text = await show('<input type="password" aria-label="Password" value="hunter2">');
    expect(text).toContain('value="•••"');
    expect(text).not.toContain('hunter2');
  });

  test('keeps refs while the page stays the same, and counts what does not fit', async () => {
    await show(
      `<button>First</button>${'<p>A long paragraph of words that fill the page.</p>'.repeat(600)}<button>Last</button>`,
    );
    const first = await ref('First');
    expect(await ref('First')).toBe(first);
    expect(await look()).toMatch(/\(\d+ lines below are not shown: scroll down, or use find\)$/);
    expect(await browser.find('last', never)).toMatchObject({ ok: true, text: expect.stringMatching(/button "Last"/) });
    expect(await browser.scroll('bottom', null, never)).toMatchObject({
      ok: true,
      effect: 'scrolled',
      pageChanged: true,
    });
    expect(await look()).toMatch(/\(\d+ lines above are not shown/);
    expect(await look()).toMatch(/button "Last"/);
  });
});

test('a page of three thousand links is short to read, and each of them can be found', async () => {
  const links = Array.from(
    { length: 3_000 },
    (_, index) => `<p>Item ${index} <a href="/i/${index}">Link ${index}</a></p>`,
  );
  expect((await show(links.join(''))).length).toBeLessThan(12_200);
  for (const index of [7, 1_500, 2_999]) {
    const found = await browser.find(`Link ${index}`, never);
    expect(found.text).toMatch(new RegExp(`\\[s\\d+e${index + 1}\\] link "Link ${index}"`));
  }
  expect(await browser.click(await ref('Link 7'), never)).toMatchObject({ ok: true, effect: 'navigated' });
});

describe('an action', () => {
  test('that follows a link reports the page it led to', async () => {
    await browser.open(shopUrl, never);
    const result = await browser.click(await ref('Copper Kettle'), never);
    expect(result).toMatchObject({ ok: true, effect: 'navigated', pageChanged: true });
    expect(result.text).toContain('/products/copper-kettle');
    expect(await browser.back(never)).toMatchObject({ ok: true, effect: 'navigated' });
  });

  test('that types and submits is verified on the page', async () => {
    await browser.open(shopUrl, never);
    const search = await ref('searchbox');
    expect(await browser.type(search, 'lamp', false, never)).toMatchObject({
      ok: true,
      effect: 'value_set',
      pageChanged: false,
    });
    expect(await browser.type(search, 'lamp', true, never)).toMatchObject({ ok: true, effect: 'navigated' });
    expect(await look()).toContain('1 products, page 1 of 1');
  });

  test('that selects and ticks is verified and keeps the refs valid', async () => {
    await browser.open(shopUrl, never);
    expect(await browser.select(await ref('Category'), ['garden'], never)).toMatchObject({
      ok: true,
      text: 'Chosen: Garden.',
      pageChanged: false,
    });
    expect(await browser.click(await ref('Only in stock'), never)).toMatchObject({
      ok: true,
      text: 'checkbox "Only in stock": now checked.',
    });
    expect(await browser.select(await ref('Sort by'), ['Weight'], never)).toMatchObject({
      ok: false,
      code: 'no_such_option',
    });
  });

  test.each([
    ['is disabled', '<button disabled>Go</button>', 'disabled'],
    ['is covered', '<button>Go</button><div style="position:fixed;inset:0;background:#fff">Cookies</div>', 'covered'],
    [
      'has no size',
      '<a href="#x" role="button" aria-label="Go" style="display:inline-block;width:0;height:0;overflow:hidden"></a>',
      'hidden',
    ],
  ])('on an element that %s is refused with that reason within two seconds', async (_, body, code) => {
    await show(body);
    const started = Date.now();
    expect(await browser.click(await ref('Go'), never)).toMatchObject({ ok: false, code });
    expect(Date.now() - started).toBeLessThan(2_000);
  });

  test('with a ref of an earlier page is refused and says what it was', async () => {
    await show('<button>Old</button>');
    const old = await ref('Old');
    await show('<button>New</button><button>Old</button>', '/other');
    const result = await browser.click(old, never);
    expect(result).toMatchObject({ ok: false, code: 'stale_ref' });
    expect(result.text).toMatch(/was button "Old" in an earlier snapshot.*s\d+e2 is now the only such control/);
  });

  test('on an element that was removed meanwhile is refused', async () => {
    await show(
      '<button>Gone</button><script>setTimeout(() => document.querySelector("button").remove(), 400)</script>',
    );
    const gone = await ref('Gone');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await browser.click(gone, never)).toMatchObject({ ok: false, code: 'stale_ref' });
  });

  test('that changes nothing says so', async () => {
    await show('<button>Idle</button>');
    expect(await browser.click(await ref('Idle'), never)).toMatchObject({ ok: true, effect: 'nothing' });
  });

  test('whose text the page throws away is an error', async () => {
    await show('<input aria-label="Code" oninput="this.value = \'\'">');
    expect(await browser.type(await ref('Code'), 'abc', false, never)).toMatchObject({
      ok: false,
      code: 'value_refused',
    });
  });

  test('waits for a script redirect instead of reading the page in between', async () => {
    pages.set('/final', '<!doctype html><title>Final</title><p>Arrived</p>');
    await show('<a href="/between">Go</a>');
    pages.set('/between', '<!doctype html><p>Redirecting</p><script>location.href = "/final"</script>');
    await browser.click(await ref('Go'), never);
    expect(await look()).toBe('Arrived');
  });

  test('that opens a tab follows it, and closing it leads back', async () => {
    pages.set('/popup', '<!doctype html><title>Popup</title><button onclick="window.close()">Close me</button>');
    await show('<button onclick="window.open(\'/popup\')">Open</button>');
    expect(await browser.click(await ref('Open'), never)).toMatchObject({ ok: true, effect: 'new_tab' });
    expect(await look()).toContain('Close me');
    expect(await browser.click(await ref('Close me'), never)).toMatchObject({ ok: true, text: 'The tab was closed.' });
    expect(await look()).toMatch(/button "Open"/);
  });

  test('that raises a question surfaces it, and the answer reaches the page', async () => {
    await show("<button onclick=\"this.textContent = confirm('Delete it?') ? 'Deleted' : 'Kept'\">Delete</button>");
    expect(await browser.click(await ref('Delete'), never)).toMatchObject({ ok: true, effect: 'dialog' });
    const { dialog, snapshot } = await browser.observe(never);
    expect({ dialog, snapshot }).toEqual({ dialog: { type: 'confirm', message: 'Delete it?' }, snapshot: null });
    expect(await browser.click('s1e1', never)).toMatchObject({ ok: false, code: 'dialog_open' });
    expect(await browser.answerDialog(true, null, never)).toMatchObject({ ok: true });
    expect(await look()).toMatch(/button "Deleted"/);
  });

  test('goes on after an alert and reports its words', async () => {
    await show('<button onclick="alert(\'Saved\')">Save</button>');
    await browser.click(await ref('Save'), never);
    expect((await browser.observe(never)).notices).toEqual(['The page showed an alert: "Saved"']);
  });

  test.each([
    ['javascript:alert(1)', 'invalid_url'],
    ['file:///etc/passwd', 'invalid_url'],
    ['http://127.0.0.1:9/', 'navigation_failed'],
  ])('that opens %s fails as %s', async (url, code) => {
    expect(await browser.open(url, never)).toMatchObject({ ok: false, code });
  });

  test('reads text in pieces', async () => {
    await show(`<p>${'word '.repeat(2_000)}end</p>`);
    const first = await browser.extract(null, 0, never);
    expect(first.text).toMatch(/continue with from=6000\)$/);
    expect((await browser.extract(null, 6_000, never)).text).toMatch(/end$/);
  });

  test('waits for a text', async () => {
    await show('<script>setTimeout(() => document.body.append("Finished"), 700)</script>');
    expect(await browser.waitFor({ text: 'finished' }, never)).toMatchObject({ ok: true, effect: 'waited' });
  });

  test('presses keys and names the ones it does not know', async () => {
    await show('<p id="p">none</p><script>addEventListener("keydown", (e) => { p.textContent = e.key })</script>');
    expect(await browser.press('Escape', never)).toMatchObject({ ok: true, effect: 'changed' });
    expect(await browser.press('Hyper', never)).toMatchObject({ ok: false, code: 'bad_key' });
  });

  test('takes a screenshot', async () => {
    expect((await browser.screenshot(never))?.subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
  });
});

describe('allowed origins', () => {
  test('hold for links, redirects and new tabs', async () => {
    pages.set(
      '/away',
      `<!doctype html><title>Away</title><a href="${shopUrl}/">Link</a>
      <button onclick="location.href='${shopUrl}/'">Script</button><button onclick="window.open('${shopUrl}/')">Tab</button>`,
    );
    const confined = await connect({ isAllowed: (url) => url === 'about:blank' || url.startsWith(base) });
    try {
      expect(await confined.open(shopUrl, never)).toMatchObject({ ok: false, code: 'origin_not_allowed' });
      await confined.open(`${base}/away`, never);
      for (const control of [0, 1, 2]) {
        const { snapshot } = await confined.observe(never);
        const refs = snapshot?.nodes.flatMap((node) => node.ref ?? []) ?? [];
        expect(await confined.click(refs[control]!, never)).toMatchObject({ ok: false, code: 'origin_not_allowed' });
      }
      expect((await confined.observe(never)).url).toBe(`${base}/away`);
    } finally {
      await confined.close();
    }
  });
});

test('a second connection continues in the same tab', async () => {
  await show('<p>mine</p>', '/mine');
  const tab = browser.currentTab();
  const second = await connect({ tab });
  try {
    expect((await second.observe(never)).url).toBe(`${base}/mine`);
    expect(second.currentTab()).toBe(tab);
  } finally {
    await second.close();
  }
  expect(await look()).toBe('mine');
});

describe('a page that answers nothing', () => {
  const other = () => chromiumClient.connectOverCDP(chromium.endpoint, { noDefaults: true });
  const endpoint = () => ({ endpoint: chromium.endpoint, headers: {}, signal: never });

  test('because it shows a dialog whose client is gone is loaded again', async () => {
    const url = `${base}/ask`;
    pages.set('/ask', '<!doctype html><p>Question</p>');
    const client = await other();
    const page = await client.contexts()[0]!.newPage();
    page.on('dialog', () => {});
    await page.goto(url);
    const asked = page.waitForEvent('dialog');
    page.evaluate('void confirm("Really?")').catch(() => {});
    await asked;
    await client.close();
    expect(await revivePages(endpoint())).toEqual([`The page ${url} did not answer and was loaded again.`]);
    expect(await revivePages(endpoint())).toEqual([]);
  });

  test('because it crashed is replaced, and the model is told', async () => {
    await show('<p>fine</p>', '/crash');
    const client = await other();
    const page = client
      .contexts()[0]!
      .pages()
      .find((candidate) => candidate.url() === `${base}/crash`)!;
    const crashed = page.waitForEvent('crash');
    (await client.contexts()[0]!.newCDPSession(page)).send('Page.crash').catch(() => {});
    await crashed;
    await client.close();
    await vi.waitFor(async () => {
      expect((await browser.observe(never)).notices).toEqual([
        'The page crashed or was closed; this is a new, empty tab.',
      ]);
    });
    expect(await revivePages(endpoint())).toEqual([`The page ${base}/crash did not answer and was loaded again.`]);
  });
});
