import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { DEMO, NAMESPACE, type Place, makeFolder, readKey } from './place.ts';
import { applyObjects } from './run.ts';

const SCOPES = 'run,browse,view,control,admin';

/**
 * The key that `make up` prints: made once, kept in the cache with the rights of a private key, and known to the cluster
 * by its hash alone.
 */
export async function ensureKey(place: Place): Promise<string> {
  let key = readKey(place);
  if (key === null) {
    key = `bu_${randomBytes(6).toString('hex')}_${randomBytes(32).toString('base64url')}`;
    makeFolder(place);
    writeFileSync(place.keyFile, `${key}\n`, { mode: 0o600 });
  }
  await applyObjects(keySecret(key));
  return key;
}

function keySecret(key: string): object {
  const id = key.split('_')[1] ?? '';
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `podwright-key-${id}`,
      namespace: NAMESPACE,
      labels: { 'podwright.dev/api-key': 'true', 'podwright.dev/tenant': DEMO.tenant },
    },
    stringData: { hash: createHash('sha256').update(key).digest('hex'), scopes: SCOPES },
  };
}
