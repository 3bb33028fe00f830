import type { IncomingHttpHeaders } from 'node:http';
import type { BrowserTenant } from '@podwright/api/kinds/tenant';
import { ApiError } from '@podwright/api/errors';
import { isKey, keyIdOf } from './api-key.ts';
import type { BadKeyThrottle } from './bad-key-throttle.ts';
import type { Caller } from './caller.ts';
import type { KeyStore } from './key-store.ts';

/** The one door for API keys, used by every route and upgrade that takes one. */
export interface AuthDoor {
  /** Throws `unauthorized`, or `too_many_requests` when the address has tried too often. */
  authenticate(headers: IncomingHttpHeaders, address: string): Caller;
}

export function createAuthDoor(options: {
  keys: KeyStore;
  findTenant: (name: string) => BrowserTenant | undefined;
  throttle: BadKeyThrottle;
  now: () => number;
}): AuthDoor {
  const refuse = (address: string): never => {
    const wait = options.throttle.refused(address);
    if (wait > 0) throw new ApiError('too_many_requests', 'Too many invalid API keys.', { retryAfter: wait });
    throw new ApiError('unauthorized');
  };
  return {
    authenticate(headers, address) {
      const text = keyText(headers);
      if (text === null) throw new ApiError('unauthorized', 'API key is missing');
      const id = keyIdOf(text);
      const stored = id === null ? undefined : options.keys.find(id);
      if (!isKey(text, stored, options.now())) return refuse(address);
      const tenantObject = options.findTenant(stored.tenant);
      // A key whose tenant is gone opens nothing.
      if (!tenantObject) return refuse(address);
      return { key: stored, tenant: stored.tenant, namespace: tenantObject.spec.namespace, tenantObject };
    },
  };
}

/** `X-Browser-Use-API-Key`, or `Authorization: Bearer`. */
export function keyText(headers: IncomingHttpHeaders): string | null {
  const own = headers['x-browser-use-api-key'];
  if (typeof own === 'string' && own !== '') return own;
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '');
  return bearer?.[1] ?? null;
}
