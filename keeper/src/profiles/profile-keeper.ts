import { ApiError } from '@podwright/api/errors';
import type { BrowserProfile, BrowserProfileStatus } from '@podwright/api/kinds/profile';
import { type ProfilePointer, type ProfileStore } from './profile-store.ts';
import { SealError } from './profile-cipher.ts';
import { checkStorageState } from './storage-state-check.ts';

export interface ProfileName {
  namespace: string;
  name: string;
}

/** The part of a BrowserProfile's status that the keeper writes; always the whole of it, as server-side apply wants. */
export type KeptStatus = Pick<
  BrowserProfileStatus,
  'version' | 'sizeBytes' | 'cookieDomains' | 'capturedAt' | 'lastUsedAt'
>;

/** BrowserProfiles in the API server. */
export interface ProfileObjects {
  /** Null when there is none. */
  read(id: ProfileName, signal: AbortSignal): Promise<BrowserProfile | null>;
  applyStatus(id: ProfileName, status: KeptStatus, signal: AbortSignal): Promise<void>;
}

export interface ProfileKeeper {
  /** State that a session starts with; null for a profile that holds nothing yet. */
  stateFor(id: ProfileName, signal: AbortSignal): Promise<Buffer | null>;
  /** Saves what the pod of the session that holds the profile sent. ApiError `forbidden` when another one holds it. */
  saveFromSession(
    id: ProfileName,
    session: { uid: string; state: Buffer },
    signal: AbortSignal,
  ): Promise<ProfilePointer>;
  /** Imports a state. ApiError `session_busy` while a session holds the profile. */
  importState(id: ProfileName, state: Buffer, signal: AbortSignal): Promise<ProfilePointer>;
  /** Marks the profile as used now. */
  touch(id: ProfileName, signal: AbortSignal): Promise<void>;
  remove(id: ProfileName, signal: AbortSignal): Promise<number>;
}

/** Profiles as bytes and as objects together: who may write is read from the object, what was written is told in it. */
export function createProfileKeeper(options: {
  store: ProfileStore;
  objects: ProfileObjects;
  now: () => number;
}): ProfileKeeper {
  const { store, objects } = options;

  const existing = async (id: ProfileName, signal: AbortSignal): Promise<BrowserProfile> => {
    const object = await objects.read(id, signal);
    if (!object) throw new ApiError('profile_not_found');
    return object;
  };

  const save = async (id: ProfileName, object: BrowserProfile, bytes: Buffer, writer: string, signal: AbortSignal) => {
    const checked = checkStorageState(bytes);
    const pointer = await store
      .save({ ...id, uid: object.metadata.uid }, { ...checked, writer }, signal)
      .catch(asUnreadable);
    await objects.applyStatus(id, keptStatus(pointer, object.status?.lastUsedAt), signal);
    return pointer;
  };

  return {
    async stateFor(id, signal) {
      const object = await existing(id, signal);
      const loaded = await store.load({ ...id, uid: object.metadata.uid }, signal).catch(asUnreadable);
      return loaded?.state ?? null;
    },

    async saveFromSession(id, session, signal) {
      const object = await existing(id, signal);
      if (object.status?.holder?.sessionUID !== session.uid) {
        throw new ApiError('forbidden', 'The session does not hold this profile for writing.');
      }
      return save(id, object, session.state, session.uid, signal);
    },

    async importState(id, state, signal) {
      const object = await existing(id, signal);
      const holder = object.status?.holder;
      if (holder) throw new ApiError('session_busy', `Session ${holder.sessionName} holds this profile.`);
      return save(id, object, state, 'import', signal);
    },

    async touch(id, signal) {
      const object = await objects.read(id, signal);
      if (!object) return;
      const { version, sizeBytes, cookieDomains, capturedAt } = object.status ?? {};
      const kept = { version, sizeBytes, cookieDomains, capturedAt, lastUsedAt: new Date(options.now()).toISOString() };
      await objects.applyStatus(id, withoutAbsent(kept), signal);
    },

    remove: (id, signal) => store.remove(id.namespace, id.name, signal),
  };
}

function keptStatus(pointer: ProfilePointer, lastUsedAt: string | undefined): KeptStatus {
  const { version, sizeBytes, cookieDomains, capturedAt } = pointer;
  return withoutAbsent({ version, sizeBytes, cookieDomains, capturedAt, lastUsedAt });
}

function withoutAbsent(status: { [Key in keyof KeptStatus]: KeptStatus[Key] | undefined }): KeptStatus {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== undefined));
}

/** Bytes that do not open are no passing trouble: say so instead of asking to try again. */
function asUnreadable(error: unknown): never {
  if (error instanceof SealError) {
    throw new ApiError('internal', `The saved state cannot be opened: ${error.message}.`, { cause: error });
  }
  throw error;
}
