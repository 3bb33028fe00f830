import type { Secret } from '@podwright/kube/objects';
import { LABEL, OBJECT } from '@podwright/api/names';
import { type StoredKey, parseStoredKey } from './api-key.ts';

/** Keys by id, as the watched Secrets of the release namespace say this instant. */
export interface KeyStore {
  find(id: string): StoredKey | undefined;
}

export function createKeyStore(options: {
  namespace: string;
  /** The watched cache: `namespace/name` to Secret. */
  secrets: { get(key: string): Secret | undefined };
}): KeyStore {
  // A Secret is decoded once per version: the cache hands out the same object until it changes.
  const parsed = new WeakMap<Secret, StoredKey | null>();
  return {
    find(id) {
      const secret = options.secrets.get(`${options.namespace}/${OBJECT.apiKeySecret(id)}`);
      if (!secret) return undefined;
      let key = parsed.get(secret);
      if (key === undefined) {
        const labels = secret.metadata.labels ?? {};
        const data = Object.entries(secret.data ?? {}).map(([name, value]) => [
          name,
          Buffer.from(value, 'base64').toString('utf8'),
        ]);
        key = parseStoredKey({
          id,
          uid: secret.metadata.uid,
          tenant: labels[LABEL.tenant] ?? '',
          data: Object.fromEntries(data) as Record<string, string>,
        });
        parsed.set(secret, key);
      }
      return key ?? undefined;
    },
  };
}
