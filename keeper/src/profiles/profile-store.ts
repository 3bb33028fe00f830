import { randomBytes } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { STORAGE_STATE_MAX_BYTES } from '@podwright/api/storage-state';
import { profilePrefix } from '../blobs/blob-key.ts';
import { type BlobStore, bytesOf, deleteAll, readWhole } from '../blobs/blob-store.ts';
import { createKeyedQueue } from './keyed-queue.ts';
import { newDataKey, sealState, unsealState, unwrapDataKey, wrapDataKey } from './profile-cipher.ts';
import type { WrappingKey } from './wrapping-key.ts';

/** Versions that stay beside the current one, for a look back by hand. */
const KEPT_VERSIONS = 2;
const POINTER = 'current.json';
const POINTER_MAX_BYTES = 1024 * 1024;

/** What `current.json` of a profile says. The version it names is complete: it was written first. */
const Pointer = Type.Object({
  profileUid: Type.String(),
  version: Type.Integer({ minimum: 1 }),
  /** Name of the sealed state beside the pointer. */
  object: Type.String(),
  dataKey: Type.Object({ kid: Type.String(), sealed: Type.String() }),
  /** Bytes of the state before sealing. */
  sizeBytes: Type.Integer({ minimum: 0 }),
  cookieDomains: Type.Array(Type.String()),
  capturedAt: Type.String(),
  /** UID of the session that wrote it, or `import`. */
  writer: Type.String(),
});
export type ProfilePointer = Static<typeof Pointer>;

export interface ProfileId {
  namespace: string;
  name: string;
  /** A profile that was deleted and made again under the same name is another one. */
  uid: string;
}

export interface ProfileStore {
  /** Current version; null when nothing was saved yet. Throws SealError when the bytes are not what they must be. */
  load(id: ProfileId, signal: AbortSignal): Promise<{ pointer: ProfilePointer; state: Buffer } | null>;
  save(
    id: ProfileId,
    version: { state: Buffer; cookieDomains: string[]; writer: string },
    signal: AbortSignal,
  ): Promise<ProfilePointer>;
  /** Deletes every version of every profile that had this name; returns the number of blobs. */
  remove(namespace: string, name: string, signal: AbortSignal): Promise<number>;
}

/** Profiles in the blob store: a new version first, then the pointer, so that a reader never meets half of one. */
export function createProfileStore(options: {
  blobs: BlobStore;
  wrappingKey: WrappingKey;
  now: () => number;
}): ProfileStore {
  const { blobs, wrappingKey } = options;
  const inOrder = createKeyedQueue();
  const folderOf = (id: ProfileId): string => `${profilePrefix(id.namespace, id.name)}${id.uid}/`;

  const readPointer = async (id: ProfileId, signal: AbortSignal): Promise<ProfilePointer | null> => {
    const bytes = await readWhole(blobs, `${folderOf(id)}${POINTER}`, POINTER_MAX_BYTES, signal);
    if (!bytes) return null;
    const pointer: unknown = JSON.parse(bytes.toString());
    if (!Value.Check(Pointer, pointer) || pointer.profileUid !== id.uid) {
      throw new Error(`the pointer of profile ${id.namespace}/${id.name} cannot be read`);
    }
    return pointer;
  };

  return {
    async load(id, signal) {
      const pointer = await readPointer(id, signal);
      if (!pointer) return null;
      const key = `${folderOf(id)}${pointer.object}`;
      const sealed = await readWhole(blobs, key, STORAGE_STATE_MAX_BYTES + 1024, signal);
      if (!sealed) throw new Error(`version ${pointer.version} of profile ${id.namespace}/${id.name} is missing`);
      const dataKey = unwrapDataKey(wrappingKey, id.uid, pointer.dataKey);
      return { pointer, state: unsealState(dataKey, id.uid, pointer.version, sealed) };
    },

    save: (id, { state, cookieDomains, writer }, signal) =>
      inOrder(folderOf(id), async () => {
        const before = await readPointer(id, signal);
        const version = (before?.version ?? 0) + 1;
        const dataKey = before ? unwrapDataKey(wrappingKey, id.uid, before.dataKey) : newDataKey();
        // The random part keeps a crashed attempt at this version apart from the one that will count.
        const object = `v${String(version).padStart(8, '0')}-${randomBytes(6).toString('hex')}`;
        const sealed = sealState(dataKey, id.uid, version, state);
        await blobs.put(`${folderOf(id)}${object}`, bytesOf(sealed), { maxBytes: sealed.length, signal });
        const pointer: ProfilePointer = {
          profileUid: id.uid,
          version,
          object,
          dataKey: before?.dataKey ?? wrapDataKey(wrappingKey, id.uid, dataKey),
          sizeBytes: state.length,
          cookieDomains,
          capturedAt: new Date(options.now()).toISOString(),
          writer,
        };
        const text = Buffer.from(JSON.stringify(pointer));
        await blobs.put(`${folderOf(id)}${POINTER}`, bytesOf(text), { maxBytes: text.length, signal });
        await dropOldVersions(blobs, folderOf(id), object, signal);
        return pointer;
      }),

    remove: (namespace, name, signal) => deleteAll(blobs, profilePrefix(namespace, name), signal),
  };
}

async function dropOldVersions(blobs: BlobStore, folder: string, current: string, signal: AbortSignal): Promise<void> {
  const { blobs: found } = await blobs.list(`${folder}v`, { limit: 1000, signal });
  const older = found.map(({ key }) => key).filter((key) => key !== `${folder}${current}`);
  for (const key of older.slice(0, Math.max(0, older.length - KEPT_VERSIONS))) await blobs.delete(key, signal);
}
