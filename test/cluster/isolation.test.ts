import { LABEL } from '@podwright/api/names';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CdpClient, connectCdp } from '../harness/cdp-client.ts';
import { type TestTenant, api, conditionOf, createTenant, installation } from '../harness/installation.ts';
import { applyObjects, eventually, getObject, kubectl } from '../harness/kubectl.ts';

interface Browser {
  id: string;
  cdpUrl: string;
  liveUrl: string;
}

let tenant: TestTenant;
let other: TestTenant;
let browser: Browser;
let conversation: { id: string };
let cdp: CdpClient;
let podIP: string;

beforeAll(async () => {
  [tenant, other] = await Promise.all([createTenant('iso'), createTenant('other')]);
  browser = (await api<Browser>(tenant.apiKey, 'POST', '/api/v3/browsers', {})).body;
  conversation = (await api<{ id: string }>(tenant.apiKey, 'POST', '/api/v3/sessions', { keepAlive: true })).body;
  cdp = await connectCdp(browser.cdpUrl);
  const sessions = await kubectl(
    'get',
    'bs',
    '-n',
    tenant.namespace,
    '-o',
    `jsonpath={.items[?(@.metadata.uid=="${browser.id}")].status.podIP}`,
  );
  podIP = sessions.trim();
});
afterAll(async () => {
  cdp?.close();
  await Promise.all([tenant?.remove(), other?.remove()]);
});

describe('a page in the browser', () => {
  test('sees what the pool opened inside, so that a refusal below means something', async () => {
    await cdp.goto('http://demo-site.podwright-demo.svc.cluster.local/');
  });

  test.each([
    ["Chromium's debugging port", () => 'http://127.0.0.1:9222/json/version'],
    ['the debugging port by name', () => 'http://localhost:9222/json/version'],
    ["the supervisor's door", () => 'http://127.0.0.1:9000/healthz'],
    ['the door by its pod address', () => `http://${podIP}:9000/healthz`],
    ['the egress proxy itself', () => 'http://127.0.0.1:3128/'],
    ['the API server', () => 'https://kubernetes.default.svc.cluster.local/version'],
    ['the metadata service', () => 'http://169.254.169.254/latest/meta-data/'],
    ['a private address', () => 'http://10.0.0.1/'],
    ['loopback in IPv6', () => 'http://[::1]:9222/json/version'],
    ['loopback mapped into IPv6', () => 'http://[::ffff:127.0.0.1]:9222/json/version'],
    ['loopback in one number', () => 'http://2130706433:9222/json/version'],
    [
      'the gateway, from inside',
      () => `http://podwright-gateway.${installation().namespace}.svc.cluster.local:8080/healthz`,
    ],
    ['a file', () => 'file:///etc/passwd'],
    ['a page of Chromium', () => 'chrome://version/'],
  ])('does not reach %s', async (_name, url) => {
    const outcome = await cdp.visit(url());
    expect(
      outcome.errorText !== undefined || outcome.status === 403 || outcome.status === 502,
      JSON.stringify(outcome),
    ).toBe(true);
  });
});

describe('a CDP client', () => {
  test.each([
    ['a context with a proxy of its own', 'Target.createBrowserContext', { proxyServer: 'direct://' }],
    ['remote locations', 'Target.setRemoteLocations', { locations: [{ host: '127.0.0.1', port: 9222 }] }],
    ['a tunnel from the browser', 'Tethering.bind', { port: 9999 }],
    ['an extension from disk', 'Extensions.loadUnpacked', { path: '/tmp' }],
  ])('is refused %s, and told so', async (_name, method, params) => {
    // Chromium refuses some of these by itself: the words must be the supervisor's.
    await expect(cdp.send(method, params)).rejects.toThrow('is refused by the policy of this browser');
    await cdp.send('Browser.getVersion');
  });

  test('Browser.close detaches; the browser stays', async () => {
    const second = await connectCdp(browser.cdpUrl);
    await second.send('Browser.close').catch(() => undefined);
    await cdp.send('Browser.getVersion');
  });

  test('an altered link is refused', async () => {
    const altered = browser.cdpUrl.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    expect((await fetch(`${altered}/json/version`)).status).toBe(401);
    await expect(connectCdp(altered)).rejects.toThrow();
  });
});

describe('another pod', () => {
  test('does not reach the door of a browser pod, nor does a browser pod of another tenant', async () => {
    const image = await kubectl(
      'get',
      'deployment',
      'podwright-gateway',
      '-n',
      installation().namespace,
      '-o',
      'jsonpath={.spec.template.spec.containers[0].image}',
    );
    const script = `const s=require('net').connect({host:process.argv[1],port:9000,timeout:4000});s.on('connect',()=>{console.log('REACHED');process.exit()});s.on('timeout',()=>{console.log('BLOCKED');process.exit()});s.on('error',()=>{console.log('BLOCKED');process.exit()})`;
    for (const namespace of ['default', other.namespace]) {
      await applyObjects([
        {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'stranger', namespace },
          spec: {
            restartPolicy: 'Never',
            automountServiceAccountToken: false,
            securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
            containers: [
              {
                name: 'probe',
                image,
                command: ['node', '-e', script, '--', podIP],
                securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
              },
            ],
          },
        },
      ]);
      const logs = await eventually(
        'the stranger has tried',
        () => kubectl('logs', 'stranger', '-n', namespace),
        (text) => text.trim() !== '',
        60_000,
      );
      await kubectl('delete', 'pod', 'stranger', '-n', namespace, '--grace-period=0', '--force');
      expect(logs.trim(), namespace).toBe('BLOCKED');
    }
  });

  test('nobody but the operator makes a pod with our labels', async () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'impostor',
        namespace: tenant.namespace,
        labels: { [LABEL.sessionUid]: browser.id, [LABEL.egress]: 'public' },
      },
      spec: {
        containers: [
          {
            name: 'x',
            image: 'x',
            securityContext: {
              allowPrivilegeEscalation: false,
              runAsNonRoot: true,
              capabilities: { drop: ['ALL'] },
              seccompProfile: { type: 'RuntimeDefault' },
            },
          },
        ],
      },
    };
    // As an ordinary editor of the namespace: an administrator of the cluster may do anything.
    await kubectl('create', 'serviceaccount', 'editor', '-n', tenant.namespace);
    await kubectl(
      'create',
      'rolebinding',
      'editor',
      '--clusterrole=edit',
      `--serviceaccount=${tenant.namespace}:editor`,
      '-n',
      tenant.namespace,
    );
    const { writeFile, mkdtemp } = await import('node:fs/promises');
    const directory = await mkdtemp('/tmp/podwright-test-');
    await writeFile(`${directory}/pod.json`, JSON.stringify(pod));
    await expect(
      kubectl('create', '-f', `${directory}/pod.json`, `--as=system:serviceaccount:${tenant.namespace}:editor`),
    ).rejects.toThrow(/denied|podwright/i);
  });
});

describe('another tenant', () => {
  test.each([
    ['GET', 'browsers/ID', undefined],
    ['PATCH', 'browsers/ID', { action: 'stop' }],
    ['GET', 'browsers/ID/downloads', undefined],
    ['POST', 'browsers/ID/viewer-tickets', {}],
    ['GET', 'sessions/ID', undefined],
    ['POST', 'sessions/ID/stop', undefined],
    ['DELETE', 'sessions/ID', undefined],
  ])('%s %s answers 404', async (method, path, body) => {
    const id = path.startsWith('sessions/') ? conversation.id : browser.id;
    const address = `/api/v3/${path.replace('ID', id)}`;
    expect((await api(other.apiKey, method, address, body)).status).toBe(404);
    // The owner gets another answer from the same address, else 404 would mean nothing.
    if (method === 'GET') expect((await api(tenant.apiKey, method, address)).status).toBe(200);
  });

  test('sees empty lists', async () => {
    const { body } = await api<{ items: unknown[]; totalItems: number }>(other.apiKey, 'GET', '/api/v3/browsers');
    expect(body).toMatchObject({ items: [], totalItems: 0 });
  });
});

describe('tickets and keys', () => {
  test('a viewer ticket opens once', async () => {
    const ticket = await api<{ url: string }>(tenant.apiKey, 'POST', `/api/v3/browsers/${browser.id}/viewer-tickets`, {
      mode: 'view',
    });
    expect(ticket.status).toBe(201);
    // Opening the page spends nothing (mail scanners open pages); the trade does.
    expect((await fetch(ticket.body.url)).status).toBe(200);
    const trade = () =>
      api(
        tenant.apiKey,
        'POST',
        `/view/${browser.id}/grant`,
        { token: ticket.body.url.split('/').at(-1) },
        { Origin: installation().url },
      );
    expect((await trade()).status).toBe(200);
    expect((await trade()).status).toBe(410);
  });

  test('a ticket that was not traded ends when the links are revoked', async () => {
    const second = (await api<Browser>(tenant.apiKey, 'POST', '/api/v3/browsers', {})).body;
    const ticket = await api<{ url: string }>(tenant.apiKey, 'POST', `/api/v3/browsers/${second.id}/viewer-tickets`, {
      mode: 'control',
    });
    expect((await api(tenant.apiKey, 'DELETE', `/api/v3/browsers/${second.id}/links`)).status).toBe(204);
    const token = ticket.body.url.split('/').at(-1);
    const traded = await api(
      tenant.apiKey,
      'POST',
      `/view/${second.id}/grant`,
      { token },
      { Origin: installation().url },
    );
    expect([401, 410]).toContain(traded.status);
  });

  test('a deleted key stops working within seconds', async () => {
    const brief = await createTenant('brief');
    try {
      await eventually(
        'the key works',
        () => api(brief.apiKey, 'GET', '/api/v3/browsers'),
        ({ status }) => status === 200,
        15_000,
      );
      await kubectl(
        'delete',
        'secret',
        '-n',
        installation().namespace,
        '-l',
        `${LABEL.apiKey}=true,${LABEL.tenant}=${brief.name}`,
      );
      await eventually(
        'the key is refused',
        () => api(brief.apiKey, 'GET', '/api/v3/browsers'),
        ({ status }) => status === 401,
        15_000,
      );
    } finally {
      await brief.remove();
    }
  });

  test('the session says what was found of sandbox and isolation', async () => {
    const name = await kubectl(
      'get',
      'bs',
      '-n',
      tenant.namespace,
      '-o',
      `jsonpath={.items[?(@.metadata.uid=="${browser.id}")].metadata.name}`,
    );
    const session = await getObject<Parameters<typeof conditionOf>[0]>('bs', name, tenant.namespace);
    expect(conditionOf(session, 'Sandboxed')).toMatchObject({ status: 'True', reason: 'SandboxVerified' });
    expect(conditionOf(session, 'Isolated')).toMatchObject({ status: 'True', reason: 'IsolationVerified' });
  });
});
