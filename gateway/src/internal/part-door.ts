import { createHash } from 'node:crypto';
import { ApiError } from '@podwright/api/errors';
import { INTERNAL_AUDIENCE, serviceAccountName } from '@podwright/api/names';
import type { Client } from '@podwright/kube/client';
import { reviewToken } from '@podwright/kube/token-review';

export type Part = 'operator' | 'gateway' | 'agent' | 'keeper';
const PARTS: readonly Part[] = ['operator', 'gateway', 'agent', 'keeper'];

/** Tells which part of the installation calls, by its ServiceAccount token. */
export interface PartDoor {
  /** Throws `unauthorized` for whoever is no part of this installation. */
  identify(authorization: string | undefined): Promise<Part>;
}

/** A token that was good a moment ago is not asked about again: agents ask for pod tokens all the time. */
const TRUST_MS = 30_000;
const MAX_REMEMBERED = 500;

export function createPartDoor(options: {
  client: Client;
  namespace: string;
  prefix: string;
  now: () => number;
}): PartDoor {
  const { client, namespace, prefix, now } = options;
  const known = new Map<string, { part: Part; until: number }>();
  return {
    async identify(authorization) {
      const token = /^Bearer +(\S+)$/.exec(authorization ?? '')?.[1];
      if (token === undefined) throw new ApiError('unauthorized', 'A ServiceAccount token is missing.');
      const hash = createHash('sha256').update(token).digest('base64');
      const remembered = known.get(hash);
      if (remembered && remembered.until > now()) return remembered.part;
      const identity = await reviewToken({ client, token, audience: INTERNAL_AUDIENCE });
      const part = PARTS.find((name) => identity?.serviceAccount === serviceAccountName(prefix, name));
      if (identity?.namespace !== namespace || part === undefined)
        throw new ApiError('unauthorized', 'Not a part of this installation.');
      if (known.size >= MAX_REMEMBERED) known.clear();
      known.set(hash, { part, until: now() + TRUST_MS });
      return part;
    },
  };
}
