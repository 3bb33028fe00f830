import { randomBytes } from 'node:crypto';
import { STORAGE_STATE_MAX_BYTES } from '@podwright/api/storage-state';
import { PROFILES_PREFIX, profilePrefix } from '../blobs/blob-key.ts';
import { type BlobStore, bytesOf, deleteAll, readWhole } from '../blobs/blob-store.ts';
import type { KeyRing } from './key-ring.ts';
import { SealError, newDataKey, sealState, stateDigest, unsealState, wrapDataKey } from './profile-cipher.ts';
import { type ProfilePointer, openPointer, writePointer } from './profile-pointer.ts';

/** Versions that stay beside the current one, for a look back by hand. */
const KEPT_VERSIONS = 2;
const POINTER = 'current.json';
const POINTER_MAX_BYTES = 1024 * 1024;
const POINTER_KEY = /^profiles\/([^/]+)\/([^/]+)\/([^/]+)\/current\.json$/;

export interface ProfileId {
  namespace: string;
  name: string;
  /** A profile that was deleted and made again under the same name is another one. */
  uid: string;
}

export interface NewVersion {
  state: Buffer;
  /** The state in an order that does not depend on how it was read. */
  canonical: Buffer;
  cookieDomains: string[];
  writer: string;
  writerEpoch: number;
  /** The version counts on from here at least: what the BrowserProfile says was saved, even if the store forgot it. */
  knownVersion: number;
  /** Goes over a pointer that does not open, which is else refused: the versions before it are lost for good. */
  replaceUnreadable: boolean;
}

/** A later holder of the profile has written already. */
export class LateWriter extends Error {
  override readonly name = 'LateWriter';
}

/** Whoever calls makes sure that one thing at a time happens to a profile. */
export interface ProfileStore {
  /** What is current; null when nothing was saved yet. Throws SealError when the pointer is not what it must be. */
  pointer(id: ProfileId, signal: AbortSignal): Promise<ProfilePointer | null>;
  /** State of the current version. Throws SealError when the bytes are not what they must be. */
  load(id: ProfileId, signal: AbortSignal): Promise<{ pointer: ProfilePointer; state: Buffer } | null>;
  /** A state that is the current one already makes no new version. Throws LateWriter and SealError. */
  save(
    id: ProfileId,
    next: NewVersion,
    signal: AbortSignal,
  ): Promise<{ pointer: ProfilePointer; outcome: 'saved' | 'unchanged' }>;
  /** Wraps the data key by the current wrapping key. The state is not touched. */
  rewrap(id: ProfileId, signal: AbortSignal): Promise<'rewrapped' | 'current' | 'missing'>;
  /** Deletes every version; returns the number of blobs. */
  remove(id: ProfileId, signal: AbortSignal): Promise<number>;
  /** Every profile that has a pointer. */
  list(signal: AbortSignal): AsyncGenerator<ProfileId>;
}

/** Profiles in the blob store: a new version first, then the pointer, so that a reader never meets half of one. */
export function createProfileStore(options: { blobs: BlobStore; ring: KeyRing; now: () => number }): ProfileStore {
  const { blobs, ring } = options;
  const folderOf = (id: ProfileId): string => `${profilePrefix(id.namespace, id.name)}${id.uid}/`;

  const open = async (id: ProfileId, signal: AbortSignal) => {
    const bytes = await readWhole(blobs, `${folderOf(id)}${POINTER}`, POINTER_MAX_BYTES, signal);
    return bytes && openPointer(bytes, id.uid, ring);
  };
  const put = async (key: string, bytes: Buffer, signal: AbortSignal): Promise<void> => {
    await blobs.put(key, bytesOf(bytes), { maxBytes: bytes.length, signal });
  };
  const point = (id: ProfileId, pointer: ProfilePointer, signal: AbortSignal): Promise<void> =>
    put(`${folderOf(id)}${POINTER}`, Buffer.from(JSON.stringify(pointer)), signal);

  return {
    async pointer(id, signal) {
      return (await open(id, signal))?.pointer ?? null;
    },

    async load(id, signal) {
      const opened = await open(id, signal);
      if (!opened) return null;
      const { pointer, dataKey } = opened;
      const sealed = await readWhole(blobs, `${folderOf(id)}${pointer.object}`, STORAGE_STATE_MAX_BYTES + 1024, signal);
      if (!sealed) throw new SealError(`the bytes of version ${pointer.version} are missing`);
      return { pointer, state: unsealState(dataKey, id.uid, pointer.version, sealed) };
    },

    async save(id, next, signal) {
      const before = await open(id, signal).catch((error: unknown) => {
        if (error instanceof SealError && next.replaceUnreadable) return null;
        throw error;
      });
      if (before && before.pointer.writerEpoch > next.writerEpoch) {
        throw new LateWriter(`version ${before.pointer.version} was written by a later holder`);
      }
      const dataKey = before?.dataKey ?? newDataKey();
      const digest = stateDigest(dataKey, next.canonical);
      const wrapped = before?.pointer.dataKey ?? wrapDataKey(ring.current, id.uid, dataKey);
      const { state, cookieDomains, writer, writerEpoch } = next;
      const capturedAt = new Date(options.now()).toISOString();
      const known = Math.max(before?.pointer.version ?? 0, next.knownVersion);
      if (before && before.pointer.version === known && before.pointer.digest === digest) {
        const pointer = writePointer({ ...before.pointer, capturedAt, writer, writerEpoch }, dataKey, wrapped);
        await point(id, pointer, signal);
        return { pointer, outcome: 'unchanged' };
      }
      const version = known + 1;
      // The random part keeps a crashed attempt at this version apart from the one that will count.
      const object = `v${String(version).padStart(8, '0')}-${randomBytes(6).toString('hex')}`;
      await put(`${folderOf(id)}${object}`, sealState(dataKey, id.uid, version, state), signal);
      const pointer = writePointer(
        {
          profileUid: id.uid,
          version,
          object,
          sizeBytes: state.length,
          cookieDomains,
          capturedAt,
          writer,
          writerEpoch,
          digest,
        },
        dataKey,
        wrapped,
      );
      await point(id, pointer, signal);
      // The version is saved; what could not be cleaned up is tried again with the next one.
      await dropOldVersions(blobs, folderOf(id), object, signal).catch(() => undefined);
      return { pointer, outcome: 'saved' };
    },

    async rewrap(id, signal) {
      const opened = await open(id, signal);
      if (!opened) return 'missing';
      const { pointer, dataKey } = opened;
      if (pointer.dataKey.kid === ring.current.kid) return 'current';
      await point(id, { ...pointer, dataKey: wrapDataKey(ring.current, id.uid, dataKey) }, signal);
      return 'rewrapped';
    },

    remove: (id, signal) => deleteAll(blobs, folderOf(id), signal),

    async *list(signal) {
      let cursor: string | undefined;
      do {
        const page = await blobs.list(PROFILES_PREFIX, { cursor, limit: 500, signal });
        for (const { key } of page.blobs) {
          const [, namespace, name, uid] = POINTER_KEY.exec(key) ?? [];
          if (namespace !== undefined && name !== undefined && uid !== undefined) yield { namespace, name, uid };
        }
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
    },
  };
}

async function dropOldVersions(blobs: BlobStore, folder: string, current: string, signal: AbortSignal): Promise<void> {
  const { blobs: found } = await blobs.list(`${folder}v`, { limit: 1000, signal });
  const older = found.map(({ key }) => key).filter((key) => key !== `${folder}${current}`);
  for (const key of older.slice(0, Math.max(0, older.length - KEPT_VERSIONS))) await blobs.delete(key, signal);
}
