import type { CallOptions, Client, Writable } from './client.ts';
import { isConflict, isNotFound } from './kube-error.ts';
import type { KubeObject, ResourceType } from './resource.ts';

/** A conflict means that somebody else wrote at the same time; more of them in a row mean something else. */
const ATTEMPTS = 5;

/**
 * Writes a block of status by server-side apply, to exactly this object. The API server does not compare UIDs on the status
 * subresource, so an object that was deleted and made again under the same name would take the write: there the version is
 * the guard. When the object was only changed since it was read, its UID is compared and the write is sent again, unless
 * the change was one of this very block: then the answer to a write of our own was lost, what was decided without it is
 * old, and the conflict is thrown.
 *
 * Returns the object as written; undefined when it is gone, or another one has its name.
 */
export async function applyStatus<T extends KubeObject & { status?: unknown }>(
  client: Client,
  resource: ResourceType<T>,
  object: T,
  status: T['status'],
  options: CallOptions & {
    fieldManager: string;
    /** Whether `current` still says what `object` did in this block. Absent: it is sent again whatever it says. */
    isUnchanged?: (current: T) => boolean;
  },
): Promise<T | undefined> {
  const { namespace, name, uid } = object.metadata;
  let { resourceVersion } = object.metadata;
  for (let attempt = 1; ; attempt += 1) {
    const metadata = { ...(namespace !== undefined && { namespace }), name, resourceVersion };
    try {
      const body = { metadata, status } as unknown as Writable<T>;
      return await client.apply(resource, body, { ...options, subresource: 'status' });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isConflict(error) || attempt >= ATTEMPTS) throw error;
      const current = await client.find(resource, { namespace, name }, options);
      if (current?.metadata.uid !== uid) return undefined;
      if (options.isUnchanged?.(current) === false) throw error;
      ({ resourceVersion } = current.metadata);
    }
  }
}
