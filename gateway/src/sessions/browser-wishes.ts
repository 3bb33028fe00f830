import { ApiError } from '@podwright/api/errors';
import type { BrowserPool } from '@podwright/api/kinds/pool';
import { POOL_DEFAULTS } from '@podwright/api/kinds/pool';
import type { BrowserSessionSpec } from '@podwright/api/kinds/session';
import { TENANT_DEFAULTS } from '@podwright/api/kinds/tenant';
import type { Caller } from '../identity/caller.ts';
import type { ProfileCache } from '../profiles/profile-cache.ts';

/** How long an ended object of the API stays for `kubectl get`; the API answers from its own records afterwards. */
const TTL_AFTER_FINISHED = '1h';

/** What callers of both kinds may wish for. */
export interface BrowserWishes {
  profileId?: string | null;
  browserScreenWidth?: number | null;
  browserScreenHeight?: number | null;
  enableRecording?: boolean | null;
  startUrl?: string | null;
}

/** Turns the wishes of a request into the spec of a BrowserSession. Throws what the caller can mend. */
export interface BrowserWishReader {
  toSpec(
    caller: Caller,
    wishes: BrowserWishes,
    lifetime: NonNullable<BrowserSessionSpec['lifetime']>,
  ): Promise<BrowserSessionSpec>;
}

export function createBrowserWishReader(options: {
  profiles: ProfileCache;
  findPool: (namespace: string, name: string) => BrowserPool | undefined;
}): BrowserWishReader {
  const { profiles, findPool } = options;
  return {
    async toSpec(caller, wishes, lifetime) {
      const pool = findPool(caller.namespace, caller.tenantObject.spec.defaultPool ?? TENANT_DEFAULTS.defaultPool);
      const viewport = viewportOf(wishes, pool);
      const profile = wishes.profileId ? await profiles.find(caller, wishes.profileId) : null;
      return {
        ...(viewport ? { viewport } : {}),
        ...(profile ? { profileRef: { name: profile.metadata.name, mode: 'ReadWrite' as const } } : {}),
        ...(wishes.startUrl ? { startUrl: wishes.startUrl } : {}),
        ...(wishes.enableRecording ? { recording: true } : {}),
        lifetime: { ttlAfterFinished: TTL_AFTER_FINISHED, ...lifetime },
      };
    },
  };
}

function viewportOf(wishes: BrowserWishes, pool: BrowserPool | undefined): { width: number; height: number } | null {
  const { browserScreenWidth: width, browserScreenHeight: height } = wishes;
  if (!width && !height) return null;
  if (!width || !height) {
    throw new ApiError('invalid_request', 'browserScreenWidth and browserScreenHeight must be set together.');
  }
  const most = pool?.spec.maxScreen ?? POOL_DEFAULTS.maxScreen;
  if (width > most.width || height > most.height) {
    throw new ApiError('invalid_request', `The screen can be ${most.width}x${most.height} at most in this pool.`);
  }
  return { width, height };
}
