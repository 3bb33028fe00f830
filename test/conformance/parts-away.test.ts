import { BrowserUse } from 'browser-use-sdk/v3';
import { chromium } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { untilAnswering } from '../harness/cdp-ready.ts';
import { api, installation } from '../harness/installation.ts';
import { kubectl } from '../harness/kubectl.ts';

/** What callers notice while parts of the installation are replaced or gone. */
const { url, apiKey, namespace } = installation();
const client = new BrowserUse({ apiKey, baseUrl: `${url}/api/v3` });
const rolledOut = (what: string): Promise<string> =>
  kubectl('-n', namespace, 'rollout', 'status', what, '--timeout=150s');

interface Made {
  id: string;
  cdpUrl: string;
}
const makeBrowser = async (): Promise<Made> => {
  const made = (await api<Made>(apiKey, 'POST', '/api/v3/browsers', {})).body;
  await untilAnswering(made.cdpUrl);
  return made;
};

describe('while the gateway is replaced', () => {
  test('polling clients finish without an error, and a tunnel is told to come back', async () => {
    const made = await makeBrowser();
    const socket = new WebSocket(made.cdpUrl.replace(/^http/, 'ws'));
    const closed = new Promise<{ code: number; reason: string }>((resolve) => {
      socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }));
    });
    await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));

    const runs = Promise.all([100, 150, 200].map((interval) => client.run('slow:14', { interval })));
    // Looked at below; a failure before that must not be nobody's.
    runs.catch(() => {});
    await kubectl('-n', namespace, 'rollout', 'restart', 'deployment/podwright-gateway');
    await rolledOut('deployment/podwright-gateway');
    expect(await closed).toEqual({ code: 1001, reason: 'server is going away, connect again' });
    for (const result of await runs) expect(result).toMatchObject({ status: 'stopped', isTaskSuccessful: true });

    // The browser did not notice: the same address leads to it again.
    const again = await chromium.connectOverCDP(made.cdpUrl);
    expect(again.contexts().length).toBe(1);
    await again.close();
    await client.browsers.stop(made.id);
  });
});

describe('while Redis is gone', () => {
  test('standing tunnels go on, creates are refused for the moment, and everything comes back', async () => {
    const made = await makeBrowser();
    const browser = await chromium.connectOverCDP(made.cdpUrl);
    const page = browser.contexts()[0]!.pages()[0]!;
    await kubectl('-n', namespace, 'scale', 'statefulset/podwright-redis', '--replicas=0');
    try {
      await kubectl('-n', namespace, 'wait', '--for=delete', 'pod/podwright-redis-0', '--timeout=60s');
      expect(await page.evaluate(() => 6 * 7)).toBe(42);
      const refused = await api(apiKey, 'POST', '/api/v3/browsers', {});
      expect(refused.status).toBe(503);
      expect(refused.body).toMatchObject({ code: 'unavailable' });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await page.evaluate(() => 6 * 7)).toBe(42);
    } finally {
      await kubectl('-n', namespace, 'scale', 'statefulset/podwright-redis', '--replicas=1');
      await rolledOut('statefulset/podwright-redis');
    }
    await expect
      .poll(async () => (await api(apiKey, 'GET', `/api/v3/browsers/${made.id}`)).status, { timeout: 60_000 })
      .toBe(200);
    const result = await client.run('echo:back', { interval: 500 });
    expect(result.output).toBe('back');
    await browser.close();
    await client.browsers.stop(made.id);
  });
});
