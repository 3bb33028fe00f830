import { ApiError } from '@podwright/api/errors';
import type { BrowserProfile } from '@podwright/api/kinds/profile';
import { ANNOTATION, LABEL } from '@podwright/api/names';
import type { ListProfilesQuery, ProfileBody, ProfileList, ProfileView } from '@podwright/api/v3/profiles';
import type { Client } from '@podwright/kube/client';
import { isAlreadyExists } from '@podwright/kube/kube-error';
import { RESOURCE } from '@podwright/kube/resource';
import type { Caller } from '../identity/caller.ts';
import type { CreateNames } from '../sessions/idempotency.ts';
import type { ProfileCache } from './profile-cache.ts';

/** Profiles of the API: BrowserProfile objects of the caller's tenant. Their bytes are the keeper's. */
export interface ProfileService {
  create(caller: Caller, body: ProfileBody, names: CreateNames): Promise<ProfileView>;
  list(caller: Caller, query: ListProfilesQuery): ProfileList;
  get(caller: Caller, id: string): Promise<ProfileView>;
  update(caller: Caller, id: string, body: ProfileBody): Promise<ProfileView>;
  /** Its bytes follow when the operator lets the object go. */
  remove(caller: Caller, id: string): Promise<void>;
}

export function createProfileService(options: { client: Client; profiles: ProfileCache }): ProfileService {
  const { client, profiles } = options;

  const sameAsBefore = async (caller: Caller, names: CreateNames): Promise<BrowserProfile> => {
    const found = await client.get(RESOURCE.browserProfiles, { namespace: caller.namespace, name: names.objectName });
    if (found.metadata.annotations?.[ANNOTATION.requestHash] !== names.requestHash) {
      throw new ApiError('idempotency_conflict');
    }
    return found;
  };

  return {
    async create(caller, body, names) {
      const object = {
        metadata: {
          name: names.objectName,
          namespace: caller.namespace,
          labels: { [LABEL.tenant]: caller.tenant, [LABEL.grant]: caller.key.id },
          annotations: { [ANNOTATION.requestHash]: names.requestHash },
        },
        spec: specOf(body),
      };
      const profile = await client.create(RESOURCE.browserProfiles, object).catch((error: unknown) => {
        if (isAlreadyExists(error)) return sameAsBefore(caller, names);
        throw error;
      });
      profiles.remember(profile);
      return viewOf(profile);
    },
    list(caller, query) {
      const pageNumber = query.pageNumber ?? query.page ?? 1;
      const pageSize = query.pageSize ?? query.page_size ?? 10;
      const wanted = query.query?.toLowerCase() ?? '';
      const found = profiles
        .list(caller)
        .filter(({ spec }) => `${spec.displayName ?? ''} ${spec.userId ?? ''}`.toLowerCase().includes(wanted));
      const items = found.slice((pageNumber - 1) * pageSize, pageNumber * pageSize).map(viewOf);
      return { items, totalItems: found.length, pageNumber, pageSize };
    },
    async get(caller, id) {
      return viewOf(await profiles.find(caller, id));
    },
    async update(caller, id, body) {
      const { metadata } = await profiles.find(caller, id);
      const target = { namespace: caller.namespace, name: metadata.name };
      // A null in a merge patch removes the field, which is what a null in the request means.
      const spec = {
        ...(body && 'name' in body ? { displayName: body.name } : {}),
        ...(body && 'userId' in body ? { userId: body.userId } : {}),
      };
      const patch = { type: 'merge' as const, body: { metadata: { uid: metadata.uid }, spec } };
      const profile = await client.patch(RESOURCE.browserProfiles, target, patch);
      profiles.remember(profile);
      return viewOf(profile);
    },
    async remove(caller, id) {
      const profile = await profiles.find(caller, id);
      const { namespace, name, uid } = profile.metadata;
      const going = await client.delete(RESOURCE.browserProfiles, { namespace, name }, { uid });
      if (going) profiles.remember(going);
      else profiles.forget(profile);
    },
  };
}

const specOf = (body: ProfileBody): BrowserProfile['spec'] => ({
  ...(body?.name ? { displayName: body.name } : {}),
  ...(body?.userId ? { userId: body.userId } : {}),
});

function viewOf({ metadata, spec, status }: BrowserProfile): ProfileView {
  const domains = status?.cookieDomains;
  return {
    id: metadata.uid,
    userId: spec.userId ?? null,
    name: spec.displayName ?? null,
    lastUsedAt: status?.lastUsedAt ?? null,
    createdAt: metadata.creationTimestamp,
    updatedAt: status?.capturedAt ?? metadata.creationTimestamp,
    cookieDomains: domains === undefined ? null : [...domains],
  };
}
