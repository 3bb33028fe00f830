import type { BrowserProfile, BrowserProfileStatus } from '@podwright/api/kinds/profile';

export interface ProfileName {
  namespace: string;
  name: string;
}

/** The part of a BrowserProfile's status that the keeper writes; always the whole of it, as server-side apply wants. */
export type KeptStatus = Pick<
  BrowserProfileStatus,
  'version' | 'sizeBytes' | 'cookieDomains' | 'capturedAt' | 'expiresAt' | 'lastUsedAt' | 'lastSavedAt'
>;

/** BrowserProfiles in the API server. */
export interface ProfileObjects {
  /** Null when there is none. */
  read(id: ProfileName, signal: AbortSignal): Promise<BrowserProfile | null>;
  /** False: the object is another version by now, or gone, and nothing was written. */
  applyStatus(id: ProfileName & { resourceVersion: string }, status: KeptStatus, signal: AbortSignal): Promise<boolean>;
}

const ATTEMPTS = 6;

/**
 * Writes what `change` makes of the object as it is at that instant; again when somebody was faster. An object of another
 * UID is another profile: then nothing is written.
 */
export async function updateKeptStatus(options: {
  objects: ProfileObjects;
  id: ProfileName;
  uid: string;
  change: (profile: BrowserProfile) => KeptStatus;
  signal: AbortSignal;
}): Promise<void> {
  const { objects, id, uid, signal } = options;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const profile = await objects.read(id, signal);
    if (profile?.metadata.uid !== uid) return;
    const { resourceVersion } = profile.metadata;
    if (await objects.applyStatus({ ...id, resourceVersion }, options.change(profile), signal)) return;
  }
  throw new Error(`the status of profile ${id.namespace}/${id.name} changes faster than it can be written`);
}
