import { OBJECT } from '@podwright/api/names';
import type { PublicKeySet } from '@podwright/api/tokens';
import { RESOURCE } from '@podwright/kube/resource';
import { ensureKeys } from '@podwright/operator/keygen/ensure-keys';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectCdp } from '../harness/cdp-client.ts';
import { untilAnswering } from '../harness/cdp-ready.ts';
import { type TestTenant, api, createTenant, installation } from '../harness/installation.ts';
import { type KubeFixture, kubeFixture } from '../harness/kube.ts';
import { eventually, kubectl } from '../harness/kubectl.ts';

/** New token keys for a running installation: no part is restarted, and no browser is lost on the way. */
let kube: KubeFixture;
let tenant: TestTenant;
const { namespace } = installation();

beforeAll(async () => {
  kube = await kubeFixture('rotation');
  tenant = await createTenant('rotation', { pool: { warm: { min: 1, max: 1 } } });
});
afterAll(() => Promise.all([tenant?.remove(), kube?.close()]));

interface KeyList {
  keys: PublicKeySet;
  signing: Record<string, string>;
}
async function keyList(): Promise<KeyList> {
  const target = { namespace, name: OBJECT.tokenKeysConfigMap('podwright') };
  const { data } = await kube.client.get(RESOURCE.configMaps, target);
  return {
    keys: JSON.parse(data?.['keys.json'] ?? '{}') as PublicKeySet,
    signing: JSON.parse(data?.['signing.json'] ?? '{}') as Record<string, string>,
  };
}
async function generation(): Promise<number> {
  const { data } = await kube.client.get(RESOURCE.secrets, {
    namespace,
    name: OBJECT.tokenKeySecret('podwright', 'gateway'),
  });
  return Number(Buffer.from(data?.['generation'] ?? '', 'base64').toString() || '1');
}
const rotate = async (): Promise<unknown> =>
  ensureKeys({ client: kube.client, namespace, prefix: 'podwright', generation: (await generation()) + 1 });

/** A page answers through the gateway: the pod took a token that the gateway signed. */
async function works(name: string): Promise<string> {
  const session = (await tenant.get(name))!;
  const { body } = await api<{ cdpUrl: string }>(tenant.apiKey, 'GET', `/api/v3/browsers/${session.metadata.uid}`);
  await untilAnswering(body.cdpUrl);
  const cdp = await connectCdp(body.cdpUrl);
  await cdp.send('Browser.getVersion');
  cdp.close();
  return body.cdpUrl;
}
const newest = ({ keys }: KeyList): Record<string, string> =>
  Object.fromEntries(Object.entries(keys).map(([issuer, list]) => [issuer, list.at(-1)!.kid]));
const startsOf = async (): Promise<string> =>
  kubectl(
    'get',
    'pods',
    '-n',
    namespace,
    '-l',
    'app.kubernetes.io/component in (operator,gateway,keeper)',
    '-o',
    'jsonpath={range .items[*]}{.metadata.uid}{.status.containerStatuses[*].restartCount} {end}',
  );

test(
  'a new key signs once every live pod lists it, and the old one goes with the next rotation',
  { timeout: 900_000, retry: 0 },
  async () => {
    const before = await keyList();
    const parts = await startsOf();
    await tenant.session('before');
    await tenant.phase('before', 'Ready');
    const link = await works('before');

    await rotate();
    const added = await keyList();
    expect(newest(added)).not.toEqual(newest(before));
    expect(added.signing).toEqual(before.signing);

    // Pods made from now on list both keys; the one from before keeps the new keys waiting.
    await tenant.session('between');
    await tenant.phase('between', 'Ready', 180_000);
    await works('between');
    await new Promise((done) => setTimeout(done, 45_000));
    expect((await keyList()).signing).toEqual(before.signing);
    await works('before');

    await kubectl('delete', 'bs', 'before', '-n', tenant.namespace, '--timeout=120s');
    const released = await eventually(
      'the new keys are released',
      keyList,
      (seen) => JSON.stringify(seen.signing) === JSON.stringify(newest(added)),
      240_000,
    );
    expect(released.keys).toEqual(added.keys);

    // The kubelet brings the news to the parts; all the while both sessions and new ones work.
    await eventually(
      'operator, gateway and keeper sign with their new keys',
      () =>
        kubectl(
          'logs',
          '-n',
          namespace,
          '-l',
          'app.kubernetes.io/component in (operator,gateway,keeper)',
          '--tail=-1',
          '--prefix',
        ),
      (logs) =>
        ['operator', 'gateway', 'keeper'].every((issuer) => logs.includes(`"kid":"${released.signing[issuer]}"`)),
      240_000,
    );
    await works('between');
    await tenant.session('after');
    await tenant.phase('after', 'Ready', 180_000);
    const url = await works('after');
    expect(url.length).toBe(link.length);
    await kubectl('delete', 'bs', 'after', '-n', tenant.namespace, '--timeout=120s');

    await rotate();
    const later = await keyList();
    for (const issuer of ['operator', 'gateway', 'keeper'] as const) {
      const kids = later.keys[issuer].map(({ kid }) => kid);
      expect(kids).not.toContain(before.signing[issuer]);
      expect(kids).toContain(released.signing[issuer]);
    }
    await works('between');
    expect(await startsOf()).toBe(parts);
    // Too early a third time: the keys of the second are not in use yet.
    await expect(rotate()).rejects.toThrow('is not in use yet');
  },
);
