import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { OBJECT } from '@podwright/api/names';
import { ISSUERS, type Issuer, type PublicKeySet } from '@podwright/api/tokens';
import type { Client } from '@podwright/kube/client';
import { isAlreadyExists } from '@podwright/kube/kube-error';
import type { Secret } from '@podwright/kube/objects';
import { RESOURCE } from '@podwright/kube/resource';
import { type TokenKeyData, rotate } from './rotate.ts';

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
const fromBase64 = (text: string): string => Buffer.from(text, 'base64').toString('utf8');
const mapped = (data: Record<string, string>, map: (value: string) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, map(value)]));

/**
 * Makes the token keys, the list of public keys and the wrapping key where they are missing, and the next token keys
 * where those of a lower generation are found. Returns the names of what was made or changed.
 */
export async function ensureKeys(options: {
  client: Client;
  namespace: string;
  prefix: string;
  generation?: number;
}): Promise<string[]> {
  const { client, namespace, prefix, generation = 1 } = options;
  const made: string[] = [];

  /** The Secret as it is after this call: made, or found when somebody else was faster. */
  async function ensureSecret(name: string, data: () => Record<string, string>): Promise<Secret> {
    const found = await client.find(RESOURCE.secrets, { namespace, name });
    if (found) return found;
    try {
      const labels = { 'app.kubernetes.io/name': 'podwright', 'app.kubernetes.io/component': 'keys' };
      const secret = await client.create(RESOURCE.secrets, {
        metadata: { namespace, name, labels },
        type: 'Opaque',
        data: mapped(data(), base64),
      });
      made.push(name);
      return secret;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return client.get(RESOURCE.secrets, { namespace, name });
    }
  }

  const list = OBJECT.tokenKeysConfigMap(prefix);
  const current = await client.find(RESOURCE.configMaps, { namespace, name: list });
  const listed = JSON.parse(current?.data?.['keys.json'] ?? '{}') as Partial<PublicKeySet>;
  const released = JSON.parse(current?.data?.['signing.json'] ?? '{}') as Partial<Record<Issuer, string>>;

  const keys: PublicKeySet = { operator: [], gateway: [], keeper: [] };
  let complete = current !== undefined;
  for (const issuer of ISSUERS) {
    const name = OBJECT.tokenKeySecret(prefix, issuer);
    const secret = await ensureSecret(name, () => ({ ...newKey(issuer), generation: String(generation) }));
    const held = mapped(secret.data ?? {}, fromBase64) as TokenKeyData;
    const step = rotate({ held, generation, released: released[issuer], makeKey: () => newKey(issuer) });
    // The list may hold keys that are not held here (a restored backup): only what a rotation has done with goes.
    const kept = (listed[issuer] ?? []).filter(({ kid }) => kid !== step?.dropped);
    const wanted = publicKeys(step?.data ?? held).filter(({ kid }) => !kept.some((one) => one.kid === kid));
    if (wanted.length > 0 || kept.length !== (listed[issuer] ?? []).length) complete = false;
    keys[issuer] = [...kept, ...wanted];
    if (!step) continue;
    await client.update(RESOURCE.secrets, { ...secret, data: mapped(step.data, base64) });
    made.push(name);
  }
  await ensureSecret(OBJECT.wrappingKeySecret(prefix), () => ({
    'wrapping.key': randomBytes(32).toString('base64'),
    kid: randomBytes(6).toString('hex'),
  }));
  if (complete) return made;
  const data = { ...current?.data, 'keys.json': JSON.stringify(keys) };
  if (current) await client.update(RESOURCE.configMaps, { ...current, data });
  else await client.create(RESOURCE.configMaps, { metadata: { namespace, name: list }, data });
  return [...made, list];
}

/** Public halves of what a Secret holds, oldest first. */
function publicKeys(held: TokenKeyData): { kid: string; pem: string }[] {
  const half = (kid: string, privatePem: string) => ({
    kid,
    pem: createPublicKey(privatePem).export({ type: 'spki', format: 'pem' }).toString(),
  });
  const { 'next.kid': kid, 'next.pem': pem } = held;
  const next = kid !== undefined && pem !== undefined ? [half(kid, pem)] : [];
  return [half(held.kid, held['private.pem']), ...next];
}

function newKey(issuer: Issuer): { 'private.pem': string; kid: string } {
  const { privateKey } = generateKeyPairSync('ed25519');
  return {
    'private.pem': privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    kid: `${issuer}-${randomBytes(6).toString('hex')}`,
  };
}
