import { afterAll, beforeAll, expect, test } from 'vitest';
import { CDP_RULES, PAGE_DOMAINS, REFUSED_DOMAINS } from '@podwright/api/cdp-rules';
import { type CdpLink, openCdpLink } from '../browser/cdp-link.ts';
import { createChromiumHttp } from '../browser/chromium-http.ts';
import { startChromium } from '../testing/chromium.ts';
import { type Program, freePort } from '../testing/processes.ts';

/** Methods that would end or disturb the browser that is asked; each has a rule of its own. */
const NOT_ASKED = new Set([
  'Browser.close',
  'Browser.crash',
  'Browser.crashGpuProcess',
  'Target.exposeDevToolsProtocol',
]);

let program: Program;
let link: CdpLink;
let methods: string[];
beforeAll(async () => {
  const port = await freePort();
  program = await startChromium({ port });
  const chromium = createChromiumHttp({ port, timeoutMs: 10_000 });
  link = await openCdpLink({ port, path: await chromium.browserPath(), timeoutMs: 10_000 });
  const { domains } = (await chromium.ask('/json/protocol')) as {
    domains: { domain: string; commands: { name: string }[] }[];
  };
  methods = domains.flatMap(({ domain, commands }) => commands.map(({ name }) => `${domain}.${name}`));
});
afterAll(async () => {
  link.close();
  await program.end();
});

test('every method that the browser endpoint of this Chromium answers has a rule', async () => {
  const answered: string[] = [];
  for (const method of methods) {
    if (NOT_ASKED.has(method)) {
      answered.push(method);
      continue;
    }
    // Without parameters most methods only say that they are there.
    const words = await link.send(method).then(
      () => '',
      (error: Error) => error.message,
    );
    if (!words.includes("wasn't found")) answered.push(method);
  }
  expect(answered.length).toBeGreaterThan(100);
  expect(answered.filter((method) => !CDP_RULES.has(method))).toEqual([]);
}, 120_000);

test('every domain of this Chromium is one that pages may use, one that is closed, or judged method by method', () => {
  const unknown = methods.filter((method) => {
    const [domain = ''] = method.split('.', 1);
    return !CDP_RULES.has(method) && !PAGE_DOMAINS.has(domain) && !REFUSED_DOMAINS.has(domain);
  });
  expect(unknown).toEqual([]);
});

test('every rule is about a method that this Chromium has', () => {
  const known = new Set(methods);
  expect([...CDP_RULES.keys()].filter((method) => !known.has(method))).toEqual([]);
});
