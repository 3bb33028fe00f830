import type { BrowserSessionSpec } from '@podwright/api/kinds/session';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CdpClient, connectCdp } from '../harness/cdp-client.ts';
import { untilAnswering } from '../harness/cdp-ready.ts';
import { type TestTenant, api, createTenant } from '../harness/installation.ts';
import { kubectl } from '../harness/kubectl.ts';
import { PLACE, PORT_OF, type World, createWorld } from './world/world.ts';

/** Egress classes by what a page reaches, what is asked of the name server, and which address a connection goes to. */
const dashed = (address: string): string => `4-${address.replaceAll('.', '-')}`;
const ALLOWED = `${dashed(PLACE.public)}.ok.iso.test`;

let world: World;
let tenant: TestTenant;

beforeAll(async () => {
  const allowInternal = [{ cidr: `${PLACE.private10}/32`, ports: [PORT_OF.open] }];
  [world, tenant] = await Promise.all([
    createWorld(),
    createTenant('egress', { pool: { network: { egress: 'Public', allowInternal } } }),
  ]);
}, 240_000);
afterAll(() => Promise.all([tenant?.remove(), world?.remove()]));

describe.each<[string, BrowserSessionSpec['network'], [string, string, 'reached' | 'refused' | 'unnamed'][]]>([
  [
    'public',
    { egress: 'Public' },
    [
      ['a public address', `http://${PLACE.public}/`, 'reached'],
      ['a public name', `http://${dashed(PLACE.otherPublic)}.any.iso.test/`, 'reached'],
      ['what the pool opens inside', `http://${PLACE.private10}:${PORT_OF.open}/`, 'reached'],
      ['another port there', `http://${PLACE.private10}:${PORT_OF.closed}/`, 'refused'],
      ['a name of a private address', `http://${dashed(PLACE.private192)}.any.iso.test/`, 'refused'],
      [
        'a name of what the pool opens, on its port',
        `http://${dashed(PLACE.private10)}.any.iso.test:${PORT_OF.open}/`,
        'reached',
      ],
    ],
  ],
  [
    'allowlist',
    { egress: 'Allowlist', allowedHosts: [ALLOWED, '*.wide.iso.test', `${dashed(PLACE.private192)}.in.iso.test`] },
    [
      ['an allowed name', `http://${ALLOWED}/`, 'reached'],
      ['a name below an allowed domain', `http://${dashed(PLACE.otherPublic)}.wide.iso.test/`, 'reached'],
      ['the domain itself', 'http://wide.iso.test/', 'unnamed'],
      ['another name of the same address', `http://${dashed(PLACE.public)}.other.iso.test/`, 'unnamed'],
      ['a name that ends like an allowed one', `http://x${ALLOWED}/`, 'unnamed'],
      ['a name below an allowed name', `http://secret.${ALLOWED}/`, 'unnamed'],
      ['the address of an allowed name', `http://${PLACE.public}/`, 'refused'],
      ['an allowed name that leads inside', `http://${dashed(PLACE.private192)}.in.iso.test/`, 'refused'],
      ['an allowed name that leads to loopback', `http://4-127-0-0-1.wide.iso.test:${PORT_OF.closed}/`, 'refused'],
      [
        'an allowed name with a private address among its own',
        `http://${dashed(PLACE.public)}--${dashed(PLACE.private10)}.wide.iso.test/`,
        'refused',
      ],
      [
        'a redirect from an allowed name',
        `http://${ALLOWED}/redirect?to=${encodeURIComponent(`http://${PLACE.otherPublic}/`)}`,
        'refused',
      ],
      ['what the pool opens inside', `http://${PLACE.private10}:${PORT_OF.open}/`, 'reached'],
    ],
  ],
  [
    'none',
    { egress: 'None' },
    [
      ['a public address', `http://${PLACE.public}/`, 'refused'],
      ['a name', `http://${dashed(PLACE.public)}.none.iso.test/`, 'unnamed'],
      ['a name with a secret in it', `http://secret.${dashed(PLACE.public)}.none.iso.test/`, 'unnamed'],
      ['TLS', `https://${dashed(PLACE.public)}.tls.iso.test/`, 'unnamed'],
      ['what the pool opens inside', `http://${PLACE.private10}:${PORT_OF.open}/`, 'reached'],
    ],
  ],
])('a session of class %s', (name, network, rows) => {
  let cdp: CdpClient;
  beforeAll(async () => {
    await tenant.session(name, { network: network! });
    const session = await tenant.phase(name, 'Ready');
    const { body } = await api<{ cdpUrl: string }>(tenant.apiKey, 'GET', `/api/v3/browsers/${session.metadata.uid}`);
    await untilAnswering(body.cdpUrl);
    cdp = await connectCdp(body.cdpUrl);
  }, 180_000);
  afterAll(() => cdp?.close());

  test.each(rows)('%s, %s: %s', async (_, url, expected) => {
    await world.hits();
    const outcome = await cdp.visit(url);
    const hits = await world.hits();
    const came = hits.filter(({ at }) => at.startsWith('tcp '));
    const asked = hits.filter(
      ({ at, first }) => at.startsWith('dns ') && first.endsWith('.iso.test') && new URL(url).hostname.endsWith(first),
    );
    if (expected === 'reached') {
      expect(outcome).toMatchObject({ status: 200 });
      expect(came.length).toBeGreaterThan(0);
      return;
    }
    expect(
      outcome.status === 403 || outcome.status === 502 || outcome.errorText !== undefined,
      JSON.stringify(outcome),
    ).toBe(true);
    // A redirect is seen by the allowed site, and by nobody behind it.
    expect(came.filter(({ first }) => !first.includes('/redirect'))).toEqual([]);
    if (expected === 'unnamed') expect(asked).toEqual([]);
  });
});

test('each claimed pod carries the label that its policies go by', async () => {
  const printed = await kubectl(
    'get',
    'pods',
    '-n',
    tenant.namespace,
    '-l',
    'podwright.dev/claimed=true',
    '-o',
    'jsonpath={range .items[*]}{.metadata.labels.podwright\\.dev/session}={.metadata.labels.podwright\\.dev/egress}{"\\n"}{end}',
  );
  expect(printed.trim().split('\n').toSorted()).toEqual(['allowlist=allowlist', 'none=none', 'public=public']);
});
