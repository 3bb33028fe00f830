import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BrowserProfile } from '@podwright/api/kinds/profile';
import { type TestTenant, api, createTenant, installation } from '../harness/installation.ts';
import { eventually, kubectl, listObjects } from '../harness/kubectl.ts';

/** A profile and downloads outlive the browser they come from, and the profile's bytes are nobody's to read. */
const site = 'http://demo-site.podwright-demo.svc.cluster.local/';
interface ApiBrowser {
  id: string;
  cdpUrl: string;
}
interface Download {
  path: string;
  size: number;
  url: string;
}

let tenant: TestTenant;
let profileId: string;
beforeAll(async () => {
  tenant = await createTenant('kept');
  const { body } = await api<{ id: string }>(tenant.apiKey, 'POST', '/api/v3/profiles', { name: 'shop login' });
  profileId = body.id;
});
afterAll(() => tenant?.remove());

async function inBrowser(work: (browser: Browser) => Promise<void>): Promise<string> {
  const { body } = await api<ApiBrowser>(tenant.apiKey, 'POST', '/api/v3/browsers', { profileId });
  const browser = await chromium.connectOverCDP(body.cdpUrl);
  try {
    await work(browser);
  } finally {
    await browser.close();
  }
  await api(tenant.apiKey, 'PATCH', `/api/v3/browsers/${body.id}`, { action: 'stop' });
  return body.id;
}
const pageOf = async (browser: Browser) => {
  const [context] = browser.contexts();
  const page = context?.pages()[0] ?? (await context!.newPage());
  await page.goto(site);
  return page;
};
const profile = async (): Promise<BrowserProfile | undefined> =>
  (await listObjects<BrowserProfile>('browserprofile', tenant.namespace))[0];

describe('a session with a profile', () => {
  let first: string;

  test('saves what the browser was told to remember', async () => {
    first = await inBrowser(async (browser) => {
      const page = await pageOf(browser);
      await page.evaluate(`
        document.cookie = 'sid=secret-of-the-test; max-age=86400';
        localStorage.setItem('basket', 'kettle');
        const link = document.createElement('a');
        link.href = URL.createObjectURL(new Blob(['seven kettles']));
        link.download = 'list.txt';
        document.body.append(link);
        link.click();`);
      await page.waitForTimeout(1000);
    });
    const saved = await eventually('version 1', profile, (seen) => seen?.status?.version === 1);
    expect(saved?.status).toMatchObject({ cookieDomains: [new URL(site).hostname], sizeBytes: expect.any(Number) });
    expect(JSON.stringify(saved)).not.toContain('secret-of-the-test');
  });

  test('leaves its downloads, which an address opens for a while', async () => {
    const path = `/api/v3/browsers/${first}/downloads?includeUrls=true`;
    const list = await eventually(
      'one download',
      async () => (await api<{ files: Download[] }>(tenant.apiKey, 'GET', path)).body.files,
      (files) => files.length === 1,
    );
    const answer = await fetch(list[0]!.url);
    expect(await answer.text()).toBe('seven kettles');
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment/);
    expect((await fetch(list[0]!.url.replace('/presigned/', '/presigned/x'))).status).toBe(404);
  });

  test('gives it to the next one, and the next version follows', async () => {
    await inBrowser(async (browser) => {
      const page = await pageOf(browser);
      const seen = await page.evaluate(`[document.cookie, localStorage.getItem('basket')]`);
      expect(seen).toEqual(['sid=secret-of-the-test', 'kettle']);
      await page.evaluate(`localStorage.setItem('basket', 'two kettles')`);
    });
    await eventually('version 2', profile, (seen) => seen?.status?.version === 2);
  });

  test('is kept as bytes that say nothing', async () => {
    const { namespace } = installation();
    const script = `grep -rl secret-of-the-test /var/lib/podwright/blobs || echo none; ls /var/lib/podwright/blobs/profiles/${tenant.namespace}`;
    const printed = await kubectl('exec', '-n', namespace, 'deploy/podwright-keeper', '--', 'sh', '-c', script);
    expect(printed.trim().split('\n')).toEqual(['none', expect.stringMatching(/.+/)]);
  });

  test('is gone with its bytes when the profile is deleted', async () => {
    await api(tenant.apiKey, 'DELETE', `/api/v3/profiles/${profileId}`);
    const { namespace } = installation();
    const list = `ls /var/lib/podwright/blobs/profiles/${tenant.namespace} 2>/dev/null | wc -l`;
    await eventually(
      'no bytes',
      () => kubectl('exec', '-n', namespace, 'deploy/podwright-keeper', '--', 'sh', '-c', list),
      (printed) => printed.trim() === '0',
    );
  });
});
