import { INTERNAL_AUDIENCE, FIELD_MANAGER } from '@podwright/api/names';
import type { Client } from '@podwright/kube/client';
import { RESOURCE } from '@podwright/kube/resource';
import { reviewToken } from '@podwright/kube/token-review';
import type { TokenReviewer } from './doors/caller.ts';
import type { ProfileObjects } from './profiles/profile-keeper.ts';

/** BrowserProfiles as the API server has them. */
export function profileObjects(client: Client): ProfileObjects {
  return {
    read: async (id, signal) => (await client.find(RESOURCE.browserProfiles, id, { signal })) ?? null,
    async applyStatus({ namespace, name }, status, signal) {
      await client.apply(
        RESOURCE.browserProfiles,
        { metadata: { namespace, name }, status },
        { fieldManager: FIELD_MANAGER.keeper, subresource: 'status', signal },
      );
    },
  };
}

export function tokenReviewer(client: Client): TokenReviewer {
  return async (token, signal) => (await reviewToken({ client, token, audience: INTERNAL_AUDIENCE, signal })) ?? null;
}
