import { createHash } from 'node:crypto';

/**
 * Names and ids of what a create makes. With an Idempotency-Key they follow from it, so that the same request again
 * finds the same objects, whichever replica it reaches and whether or not Redis still knows it.
 */
export interface CreateNames {
  /** Of the Kubernetes object. */
  objectName: string;
  /** Of the conversation, or of the run of a follow-up. */
  id: string;
  /** Of the first run of a conversation. */
  firstRunId: string;
  /** Hash of the request, kept with the object: the same key with another request is a conflict. */
  requestHash: string;
  /** False when the caller gave no key: then nothing can be found again. */
  repeatable: boolean;
}

export const MAX_KEY_LENGTH = 255;

export function createNames(request: {
  kind: 'session' | 'browser' | 'profile' | 'run';
  tenant: string;
  keyId: string;
  idempotencyKey: string | undefined;
  body: unknown;
}): CreateNames {
  const { kind, tenant, keyId, idempotencyKey, body } = request;
  const seed =
    idempotencyKey === undefined ? crypto.randomUUID() : JSON.stringify([kind, tenant, keyId, idempotencyKey]);
  const digest = createHash('sha256').update(seed).digest('hex');
  return {
    objectName: `api-${digest.slice(0, 24)}`,
    id: uuidFrom(digest),
    firstRunId: uuidFrom(createHash('sha256').update(`run ${digest}`).digest('hex')),
    requestHash: createHash('sha256').update(stableJson(body)).digest('hex').slice(0, 32),
    repeatable: idempotencyKey !== undefined,
  };
}

/** A UUID of version 8 (RFC 9562) whose free bits come from a hash in hex. */
export function uuidFrom(hex: string): string {
  const variant = ((Number.parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** JSON with sorted keys: the order of fields does not make another request. */
function stableJson(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? ''
  );
}
