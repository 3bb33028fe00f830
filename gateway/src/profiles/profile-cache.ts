import { ApiError } from '@podwright/api/errors';
import type { BrowserProfile } from '@podwright/api/kinds/profile';
import type { Client } from '@podwright/kube/client';
import type { Reflector } from '@podwright/kube/reflector';
import { RESOURCE } from '@podwright/kube/resource';
import type { Caller } from '../identity/caller.ts';

/** Profiles of a caller: of its tenant, and only those its key may use. */
export interface ProfileCache {
  list(caller: Caller): BrowserProfile[];
  /** By UID. Throws `profile_not_found`. */
  find(caller: Caller, uid: string): Promise<BrowserProfile>;
  remember(profile: BrowserProfile): void;
  forget(profile: BrowserProfile): void;
}

export const PROFILE_INDEXES = {
  namespace: (profile: BrowserProfile): string[] => [profile.metadata.namespace ?? ''],
};

export function createProfileCache(options: {
  reflector: Reflector<BrowserProfile, keyof typeof PROFILE_INDEXES>;
  client: Client;
}): ProfileCache {
  const { reflector, client } = options;
  const isOffered = (caller: Caller, profile: BrowserProfile): boolean =>
    profile.metadata.namespace === caller.namespace &&
    profile.metadata.deletionTimestamp === undefined &&
    (caller.key.profiles === null || caller.key.profiles.has(profile.metadata.name));
  return {
    list: (caller) =>
      reflector.store
        .by('namespace', caller.namespace)
        .filter((profile) => isOffered(caller, profile))
        .toSorted((a, b) => b.metadata.creationTimestamp.localeCompare(a.metadata.creationTimestamp)),
    async find(caller, uid) {
      let profile = reflector.store.getByUid(uid);
      if (!profile) {
        // Another replica may have made it a moment ago.
        const { items } = await client.list(RESOURCE.browserProfiles, { namespace: caller.namespace });
        for (const item of items) reflector.remember(item);
        profile = reflector.store.getByUid(uid);
      }
      if (!profile || !isOffered(caller, profile)) throw new ApiError('profile_not_found');
      return profile;
    },
    remember: (profile) => reflector.remember(profile),
    forget: (profile) => reflector.forget(profile),
  };
}
