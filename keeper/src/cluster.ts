import { FIELD_MANAGER, INTERNAL_AUDIENCE, LABEL, OBJECT } from '@podwright/api/names';
import type { Client } from '@podwright/kube/client';
import { isConflict, isNotFound } from '@podwright/kube/kube-error';
import { RESOURCE } from '@podwright/kube/resource';
import { reviewToken } from '@podwright/kube/token-review';
import type { TokenReviewer } from './doors/caller.ts';
import type { ProfileObjects } from './profiles/profile-objects.ts';
import type { Tombstone } from './profiles/tombstones.ts';

/** BrowserProfiles as the API server has them. */
export function profileObjects(client: Client): ProfileObjects {
  return {
    read: async (id, signal) => (await client.find(RESOURCE.browserProfiles, id, { signal })) ?? null,
    async applyStatus({ namespace, name, resourceVersion }, status, signal) {
      try {
        await client.apply(
          RESOURCE.browserProfiles,
          { metadata: { namespace, name, resourceVersion }, status },
          { fieldManager: FIELD_MANAGER.keeper, subresource: 'status', signal },
        );
        return true;
      } catch (error) {
        if (isConflict(error) || isNotFound(error)) return false;
        throw error;
      }
    },
  };
}

export function tokenReviewer(client: Client): TokenReviewer {
  return async (token, signal) => (await reviewToken({ client, token, audience: INTERNAL_AUDIENCE, signal })) ?? null;
}

/** What the operator left for the keeper in the namespace of the release. */
export function profileTombstones(options: {
  client: Client;
  namespace: string;
  prefix: string;
}): (signal: AbortSignal) => Promise<Tombstone[]> {
  const { client, namespace, prefix } = options;
  return async (signal) => {
    const labelSelector = `${LABEL.tombstone}=profile`;
    const { items } = await client.list(RESOURCE.configMaps, { namespace, labelSelector, signal });
    return items.flatMap(({ metadata, data }) => {
      const profile = { namespace: data?.['namespace'] ?? '', name: data?.['name'] ?? '', uid: data?.['uid'] ?? '' };
      // Another installation in the same namespace has tombstones of its own.
      if (metadata.name !== OBJECT.profileTombstone(prefix, profile.uid)) return [];
      const clear = async (ending: AbortSignal): Promise<void> => {
        const { name, uid } = metadata;
        await client.delete(RESOURCE.configMaps, { namespace, name }, { uid, signal: ending });
      };
      return [{ profile, clear }];
    });
  };
}
