import { INTERNAL_AUDIENCE, FIELD_MANAGER } from '@podwright/api/names';
import type { Client } from '@podwright/kube/client';
import { RESOURCE } from '@podwright/kube/resource';
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

interface TokenReview {
  status?: { authenticated?: boolean; audiences?: string[]; user?: { username?: string } };
}

export function tokenReviewer(client: Client): TokenReviewer {
  return async (token, signal) => {
    const review = await client.raw<TokenReview>(
      'POST',
      '/apis/authentication.k8s.io/v1/tokenreviews',
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token, audiences: [INTERNAL_AUDIENCE] },
      },
      { signal },
    );
    const { authenticated, audiences, user } = review.status ?? {};
    return authenticated === true && audiences?.includes(INTERNAL_AUDIENCE) ? (user?.username ?? null) : null;
  };
}
