import type { BrowserTenant } from '@podwright/api/kinds/tenant';
import { ApiError } from '@podwright/api/errors';
import type { KeyScope, StoredKey } from './api-key.ts';

/** Who asks: a key of a tenant. Everything a request may see or do follows from it. */
export interface Caller {
  key: StoredKey;
  /** Name of the BrowserTenant. */
  tenant: string;
  /** Namespace of the tenant's objects. */
  namespace: string;
  tenantObject: BrowserTenant;
}

/** True when the key has one of the scopes; `admin` has all. */
export const hasScope = (caller: Caller, ...anyOf: KeyScope[]): boolean =>
  caller.key.scopes.has('admin') || anyOf.some((scope) => caller.key.scopes.has(scope));

/** Throws 403 with the words by which clients of the original know what is missing. */
export function requireScope(caller: Caller, ...anyOf: KeyScope[]): void {
  if (!hasScope(caller, ...anyOf)) {
    throw new ApiError('missing_scope', `API key is missing required scope: ${anyOf.join(' or ')}`);
  }
}
