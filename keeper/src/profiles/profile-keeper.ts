import { parseDuration } from '@podwright/api/duration';
import { ApiError } from '@podwright/api/errors';
import { type BrowserProfile, PROFILE_DEFAULTS } from '@podwright/api/kinds/profile';
import { createKeyedQueue } from './keyed-queue.ts';
import { SealError } from './profile-cipher.ts';
import { type KeptStatus, type ProfileName, type ProfileObjects, updateKeptStatus } from './profile-objects.ts';
import type { ProfilePointer } from './profile-pointer.ts';
import { LateWriter, type ProfileId, type ProfileStore } from './profile-store.ts';
import { checkStorageState } from './storage-state-check.ts';

export type SavedState =
  | { outcome: 'Empty' }
  | { outcome: 'Loaded'; state: Buffer; version: number; capturedAt: string; expiresAt: string }
  | { outcome: 'Expired'; version: number; capturedAt: string; expiresAt: string };

export interface SaveResult {
  version: number;
  sizeBytes: number;
  cookieDomains: string[];
  outcome: 'saved' | 'unchanged';
  /** What the pod could not read. */
  missing: string[];
}

export interface ProfileKeeper {
  /** What a session starts with. Throws ApiError `profile_not_found`, `profile_unreadable`. */
  stateFor(id: ProfileName, signal: AbortSignal): Promise<SavedState>;
  /** Saves what the pod of the session that holds the profile sent. ApiError `forbidden` when another one holds it. */
  saveFromSession(id: ProfileName, session: { uid: string; state: Buffer }, signal: AbortSignal): Promise<SaveResult>;
  /** Imports a state. ApiError `session_busy` while a session holds the profile. */
  importState(id: ProfileName, state: Buffer, signal: AbortSignal): Promise<SaveResult>;
  /** Marks the profile as used now, and brings its status up to what is stored. */
  touch(id: ProfileName, signal: AbortSignal): Promise<void>;
  /** Deletes the bytes of exactly that BrowserProfile, which is gone or being deleted. */
  remove(id: ProfileId, signal: AbortSignal): Promise<number>;
  rewrap: ProfileStore['rewrap'];
}

/**
 * Profiles as bytes and as objects together: who may write is read from the object, what was written is told in it.
 * One thing at a time happens to a profile, and whoever writes is looked up within its turn: a holder that was released
 * before its turn came is refused, and one that is served before its successor loads is part of what that one loads.
 */
export function createProfileKeeper(options: {
  store: ProfileStore;
  objects: ProfileObjects;
  now: () => number;
}): ProfileKeeper {
  const { store, objects, now } = options;
  const inOrder = createKeyedQueue();

  const inTurn = <T>(id: ProfileName, signal: AbortSignal, job: () => Promise<T>): Promise<T> =>
    inOrder(`${id.namespace}/${id.name}`, async () => {
      signal.throwIfAborted();
      return job().catch(asApiError);
    });

  const existing = async (id: ProfileName, signal: AbortSignal): Promise<BrowserProfile> => {
    const object = await objects.read(id, signal);
    if (!object) throw new ApiError('profile_not_found');
    return object;
  };

  const save = async (options: {
    id: ProfileName;
    object: BrowserProfile;
    bytes: Buffer;
    writer: string;
    signal: AbortSignal;
  }): Promise<SaveResult> => {
    const { id, object, writer, signal } = options;
    if (object.metadata.deletionTimestamp !== undefined) {
      throw new ApiError('profile_not_found', 'The profile is being deleted.');
    }
    const { state, canonical, cookieDomains, missing } = checkStorageState(options.bytes);
    const { uid } = object.metadata;
    const imported = writer === 'import';
    const { pointer, outcome } = await store.save(
      { ...id, uid },
      {
        state,
        canonical,
        cookieDomains,
        writer,
        writerEpoch: object.status?.writerEpoch ?? 0,
        knownVersion: object.status?.version ?? 0,
        replaceUnreadable: imported,
      },
      signal,
    );
    await updateKeptStatus({
      objects,
      id,
      uid,
      signal,
      change: (current) => ({
        ...keptStatus(current, pointer),
        ...(imported ? {} : { lastSavedAt: pointer.capturedAt }),
      }),
    });
    const { version, sizeBytes } = pointer;
    return { version, sizeBytes, cookieDomains, outcome, missing };
  };

  return {
    stateFor: (id, signal) =>
      inTurn(id, signal, async () => {
        const object = await existing(id, signal);
        const known = object.status?.version ?? 0;
        const profileId = { ...id, uid: object.metadata.uid };
        const pointer = await store.pointer(profileId, signal);
        if (!pointer && known === 0) return { outcome: 'Empty' };
        // The object remembers what the store must have: an older store is somebody's doing, or a restored backup.
        if (!pointer || pointer.version < known) {
          throw new SealError(`the store holds version ${pointer?.version ?? 'none'}, and version ${known} was saved`);
        }
        const facts = {
          version: pointer.version,
          capturedAt: pointer.capturedAt,
          expiresAt: expiryOf(object, pointer),
        };
        if (now() >= Date.parse(facts.expiresAt)) return { outcome: 'Expired', ...facts };
        const loaded = await store.load(profileId, signal);
        if (!loaded) throw new SealError('its bytes went away');
        return { outcome: 'Loaded', state: loaded.state, ...facts };
      }),

    saveFromSession: (id, session, signal) =>
      inTurn(id, signal, async () => {
        const object = await existing(id, signal);
        if (object.status?.holder?.sessionUID !== session.uid) {
          throw new ApiError('forbidden', 'The session does not hold this profile for writing.');
        }
        return save({ id, object, bytes: session.state, writer: session.uid, signal });
      }),

    importState: (id, state, signal) =>
      inTurn(id, signal, async () => {
        const object = await existing(id, signal);
        const holder = object.status?.holder;
        if (holder) throw new ApiError('session_busy', `Session ${holder.sessionName} holds this profile.`);
        return save({ id, object, bytes: state, writer: 'import', signal });
      }),

    touch: (id, signal) =>
      inTurn(id, signal, async () => {
        const object = await objects.read(id, signal);
        if (!object) return;
        const { uid } = object.metadata;
        const pointer = await store.pointer({ ...id, uid }, signal);
        const lastUsedAt = new Date(now()).toISOString();
        const change = (current: BrowserProfile): KeptStatus => ({ ...keptStatus(current, pointer), lastUsedAt });
        await updateKeptStatus({ objects, id, uid, change, signal });
      }),

    remove: (id, signal) =>
      inTurn(id, signal, async () => {
        const object = await objects.read(id, signal);
        if (object?.metadata.uid === id.uid && object.metadata.deletionTimestamp === undefined) {
          throw new ApiError('session_busy', 'The profile is not being deleted.');
        }
        return store.remove(id, signal);
      }),

    rewrap: (id, signal) => inTurn(id, signal, () => store.rewrap(id, signal)),
  };
}

/** The whole of what the keeper owns in status: facts of the pointer, and instants that only the object knows. */
function keptStatus(profile: BrowserProfile, pointer: ProfilePointer | null): KeptStatus {
  const { lastUsedAt, lastSavedAt } = profile.status ?? {};
  const instants = {
    ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
    ...(lastSavedAt === undefined ? {} : { lastSavedAt }),
  };
  if (!pointer) return instants;
  const { version, sizeBytes, cookieDomains, capturedAt } = pointer;
  return { ...instants, version, sizeBytes, cookieDomains, capturedAt, expiresAt: expiryOf(profile, pointer) };
}

function expiryOf(profile: BrowserProfile, pointer: ProfilePointer): string {
  const maxAge = parseDuration(profile.spec.maxAge ?? PROFILE_DEFAULTS.maxAge);
  return new Date(Date.parse(pointer.capturedAt) + maxAge).toISOString();
}

/** Bytes that do not open are no passing trouble: say so instead of asking to try again. */
function asApiError(error: unknown): never {
  if (error instanceof SealError) {
    throw new ApiError('profile_unreadable', `The saved state cannot be opened: ${error.message}.`, { cause: error });
  }
  if (error instanceof LateWriter) throw new ApiError('forbidden', `It came too late: ${error.message}.`);
  throw error;
}
