import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { OBJECT } from '@podwright/api/names';
import { ISSUERS, type Issuer, type PublicKeySet } from '@podwright/api/tokens';
import type { Client } from '@podwright/kube/client';
import { isAlreadyExists } from '@podwright/kube/kube-error';
import type { Secret } from '@podwright/kube/objects';
import { RESOURCE } from '@podwright/kube/resource';

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
const fromBase64 = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString('utf8');

/** Makes the token keys, the list of public keys and the wrapping key where they are missing. Returns the names of what was made. */
export async function ensureKeys(options: { client: Client; namespace: string; prefix: string }): Promise<string[]> {
  const { client, namespace, prefix } = options;
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
        data: data(),
      });
      made.push(name);
      return secret;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return client.get(RESOURCE.secrets, { namespace, name });
    }
  }

  const keys: PublicKeySet = { operator: [], gateway: [], keeper: [] };
  for (const issuer of ISSUERS) {
    const secret = await ensureSecret(OBJECT.tokenKeySecret(prefix, issuer), () => tokenKey(issuer));
    const privatePem = fromBase64(secret.data?.['private.pem']);
    const pem = createPublicKey(privatePem).export({ type: 'spki', format: 'pem' }).toString();
    keys[issuer].push({ kid: fromBase64(secret.data?.['kid']), pem });
  }
  await ensureSecret(OBJECT.wrappingKeySecret(prefix), () => ({
    'wrapping.key': base64(randomBytes(32).toString('base64')),
    kid: base64(randomBytes(6).toString('hex')),
  }));

  // The list may hold more keys than those of today (a rotation under way): what is missing is added, nothing is taken away.
  const name = OBJECT.tokenKeysConfigMap(prefix);
  const current = await client.find(RESOURCE.configMaps, { namespace, name });
  const listed = JSON.parse(current?.data?.['keys.json'] ?? '{}') as Partial<PublicKeySet>;
  let complete = current !== undefined;
  for (const issuer of ISSUERS) {
    const known = listed[issuer] ?? [];
    const missing = keys[issuer].filter(({ kid }) => !known.some((one) => one.kid === kid));
    if (missing.length > 0) complete = false;
    keys[issuer] = [...known, ...missing];
  }
  if (complete) return made;
  const data = { 'keys.json': JSON.stringify(keys) };
  if (current) await client.update(RESOURCE.configMaps, { ...current, data });
  else await client.create(RESOURCE.configMaps, { metadata: { namespace, name }, data });
  return [...made, name];
}

function tokenKey(issuer: Issuer): Record<string, string> {
  const { privateKey } = generateKeyPairSync('ed25519');
  return {
    'private.pem': base64(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()),
    kid: base64(`${issuer}-${randomBytes(6).toString('hex')}`),
  };
}
