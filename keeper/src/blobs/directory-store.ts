import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { constants, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '@podwright/api/errors';
import type { BlobPage, BlobStore } from './blob-store.ts';
import { keyProblem } from './blob-key.ts';
import { limitBytes } from './byte-limit.ts';

const TEMPORARY = '.tmp';

/**
 * Blobs as files below `root`, on a volume that only the keeper mounts. A file is written beside its place, synced and
 * renamed, so that a crash leaves the old bytes or the new ones. What a crash left in the temporary folder is removed here.
 */
export async function createDirectoryStore(options: { root: string }): Promise<BlobStore> {
  const { root } = options;
  const temporary = join(root, TEMPORARY);
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary, { recursive: true });

  const pathOf = (key: string): string => {
    const problem = keyProblem(key);
    if (problem !== null || key.startsWith('.')) throw new Error(`the key cannot be used: ${problem ?? 'hidden'}`);
    return join(root, key);
  };

  return {
    async put(key, body, { maxBytes, signal }) {
      const target = pathOf(key);
      const draft = join(temporary, randomUUID());
      const counted = { bytes: 0 };
      try {
        const file = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
        await pipeline(limitBytes(body, maxBytes, counted), file, { signal });
        await moveInto(draft, target);
      } catch (error) {
        await rm(draft, { force: true });
        throw asNameClash(error);
      }
      return { size: counted.bytes };
    },

    async get(key) {
      const file = await open(pathOf(key), constants.O_RDONLY | constants.O_NOFOLLOW).catch(unlessMissing);
      if (!file) return null;
      const facts = await file.stat();
      if (!facts.isFile()) {
        await file.close();
        return null;
      }
      return { body: file.createReadStream(), size: facts.size };
    },

    async list(prefix, { cursor, limit, signal }) {
      // One more than asked tells whether there is a next page.
      const keys: string[] = [];
      for await (const key of walk(root, '', prefix, cursor ?? '')) {
        signal.throwIfAborted();
        if (keys.push(key) > limit) break;
      }
      const blobs: BlobPage['blobs'] = [];
      for (const key of keys.slice(0, limit)) {
        const facts = await stat(join(root, key)).catch(unlessMissing);
        if (facts) blobs.push({ key, size: facts.size, lastModified: facts.mtime });
      }
      return { blobs, nextCursor: keys.length > limit ? (keys[limit - 1] ?? null) : null };
    },

    async delete(key) {
      const target = pathOf(key);
      const existed = await rm(target).then(() => true, unlessMissing);
      if (existed) await syncDirectory(dirname(target)).catch(unlessMissing);
      // Folders exist only for what is in them.
      for (let folder = dirname(target); folder !== root; folder = dirname(folder)) {
        const removed = await rmdir(folder).then(
          () => true,
          () => false,
        );
        if (!removed) break;
      }
    },

    async check() {
      await stat(temporary);
    },
  };
}

/**
 * Keys of files under `folder` that start with `prefix` and come after `after`, in byte order of the whole key:
 * a folder sorts as its name with a slash, as it does in S3.
 */
async function* walk(root: string, folder: string, prefix: string, after: string): AsyncGenerator<string> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(unlessMissing);
  const names = (entries ?? [])
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => (entry.isDirectory() ? `${folder}${entry.name}/` : `${folder}${entry.name}`))
    .filter((name) => name !== `${TEMPORARY}/`)
    .toSorted(byBytes);
  for (const name of names) {
    if (name.endsWith('/')) {
      const mayHold = prefix.startsWith(name) || name.startsWith(prefix);
      const isPast = byBytes(name, after) <= 0 && !after.startsWith(name);
      if (mayHold && !isPast) yield* walk(root, name, prefix, after);
    } else if (name.startsWith(prefix) && byBytes(name, after) > 0) {
      yield name;
    }
  }
}

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const MOVE_ATTEMPTS = 5;

/** Renames, and syncs every folder that got a new entry: a blob must not be gone after a power cut because its folder is. */
async function moveInto(draft: string, target: string): Promise<void> {
  const folder = dirname(target);
  for (let attempt = 1; ; attempt += 1) {
    let firstNew: string | undefined;
    try {
      firstNew = await mkdir(folder, { recursive: true });
      await rename(draft, target);
    } catch (error) {
      // The deletion of the last other blob took the folder away again.
      if (codeOf(error) !== 'ENOENT' || attempt >= MOVE_ATTEMPTS) throw error;
      continue;
    }
    const top = firstNew === undefined ? folder : dirname(firstNew);
    for (let synced = folder; ; synced = dirname(synced)) {
      // Nobody keeps a deletion from being faster.
      await syncDirectory(synced).catch(unlessMissing);
      if (synced === top) return;
    }
  }
}

async function syncDirectory(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;

function unlessMissing(error: unknown): null {
  if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error) ?? '')) return null;
  throw error;
}

/** On a file system `a` and `a/b` cannot both be files. */
function asNameClash(error: unknown): unknown {
  return ['EISDIR', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')
    ? new ApiError('bad_request', 'A part of the name is used by another file.', { cause: error })
    : error;
}
