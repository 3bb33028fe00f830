// A browser for Playwright, without a task:
//   npm install playwright-core && node examples/playwright.mjs
// PODWRIGHT_URL and PODWRIGHT_API_KEY come from `make env`.
import { chromium } from 'playwright-core';

const { PODWRIGHT_URL: url, PODWRIGHT_API_KEY: key } = process.env;
if (!url || !key) throw new Error('PODWRIGHT_URL and PODWRIGHT_API_KEY are not set: run eval "$(make -s env)" first');
const call = async (method, path, body) => {
  const response = await fetch(`${url}/api/v3${path}`, {
    method,
    headers: { 'x-browser-use-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
};

const { id, cdpUrl, liveUrl } = await call('POST', '/browsers', {});
console.log(`watch it: ${liveUrl}`);
const browser = await chromium.connectOverCDP(cdpUrl);
try {
  const page = browser.contexts()[0].pages()[0] ?? (await browser.contexts()[0].newPage());
  await page.goto(process.argv[2] ?? 'http://demo-site.podwright-demo.svc.cluster.local/');
  console.log(await page.title());
  console.log(await page.getByRole('listitem').allInnerTexts());
} finally {
  await browser.close();
  await call('PATCH', `/browsers/${id}`, { action: 'stop' });
}
