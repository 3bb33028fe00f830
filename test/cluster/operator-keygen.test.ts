import { createPublicKey } from 'node:crypto';
import { OBJECT } from '@podwright/api/names';
import { ISSUERS, type PublicKeySet, createSigner, createVerifier } from '@podwright/api/tokens';
import { RESOURCE } from '@podwright/kube/resource';
import { ensureKeys } from '@podwright/operator/keygen/ensure-keys';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type KubeFixture, kubeFixture } from '../harness/kube.ts';

let kube: KubeFixture;
beforeAll(async () => {
  kube = await kubeFixture('keygen');
});
afterAll(() => kube?.close());

const ensure = () => ensureKeys({ client: kube.client, namespace: kube.namespace, prefix: 'podwright' });
const secret = async (name: string): Promise<Record<string, string>> => {
  const { data } = await kube.client.get(RESOURCE.secrets, { namespace: kube.namespace, name });
  return Object.fromEntries(
    Object.entries(data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  );
};
const publicKeys = async (): Promise<PublicKeySet> => {
  const target = { namespace: kube.namespace, name: OBJECT.tokenKeysConfigMap('podwright') };
  return JSON.parse((await kube.client.get(RESOURCE.configMaps, target)).data?.['keys.json'] ?? '') as PublicKeySet;
};

test('makes every key once, also when two run at the same time', async () => {
  // One may come too late for the list, and its Job tries again; what it made by then is used.
  const both = await Promise.allSettled([ensure(), ensure()]);
  expect(both.map(({ status }) => status)).toContain('fulfilled');
  expect(await ensure()).toEqual([]);
  for (const issuer of ISSUERS) {
    const { kid } = await secret(OBJECT.tokenKeySecret('podwright', issuer));
    expect((await publicKeys())[issuer].map((key) => key.kid)).toEqual([kid]);
  }
  const wrapping = await secret(OBJECT.wrappingKeySecret('podwright'));
  expect(Buffer.from(wrapping['wrapping.key'] ?? '', 'base64')).toHaveLength(32);
});

test('what a private key signs, the listed public keys verify', async () => {
  const { 'private.pem': privatePem = '', kid = '' } = await secret(OBJECT.tokenKeySecret('podwright', 'operator'));
  const common = { installation: 'podwright', now: Date.now };
  const signer = await createSigner({ ...common, issuer: 'operator', kid, privatePem });
  const verifier = await createVerifier({ ...common, podUid: 'pod', keys: await publicKeys() });
  const token = await signer.sign('pod', { scope: 'bind', subject: 'session' });
  expect(await verifier.verify(token)).toMatchObject({ issuer: 'operator', scope: 'bind', subject: 'session' });
});

test('a lost list is made again from the private keys, and keys it still lists for others stay', async () => {
  const target = { namespace: kube.namespace, name: OBJECT.tokenKeysConfigMap('podwright') };
  const before = await publicKeys();
  const older = {
    kid: 'older',
    pem: createPublicKey(before.keeper[0]!.pem).export({ type: 'spki', format: 'pem' }).toString(),
  };
  const data = { 'keys.json': JSON.stringify({ operator: [older] }) };
  await kube.client.patch(RESOURCE.configMaps, target, { type: 'merge', body: { data } });
  await ensure();
  const after = await publicKeys();
  expect(after.operator.map(({ kid }) => kid)).toEqual(['older', before.operator[0]?.kid]);
  expect(after.keeper).toEqual(before.keeper);
});
