import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, readlink, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import type { Readable } from 'node:stream';
import { ApiError } from '@podwright/api/errors';
import type { FileListing } from '@podwright/api/pod-door';

/**
 * Files in a folder that a hostile browser process writes too. A symbolic link there would be followed in the supervisor's
 * own file system, so every opened file is proved to be a regular one inside the folder by asking the kernel where it is.
 */
export interface ConfinedFolder {
  list(): Promise<FileListing>;
  /** A regular file below the folder, open for reading. Throws ApiError not_found. */
  open(path: string): Promise<{ handle: FileHandle; size: number }>;
  /** Writes a file, whole or not at all. Throws ApiError too_large when it grows over the cap. */
  write(path: string, content: Readable): Promise<void>;
}

const MAX_FILES = 10_000;
const MAX_DEPTH = 8;
/** Chromium's own files of downloads that are not finished. */
const UNFINISHED = /\.crdownload$/;

export function createConfinedFolder(options: { root: string; maxFileBytes: number }): ConfinedFolder {
  const { root } = options;

  async function collect(folder: string, depth: number, files: FileListing['files']): Promise<void> {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (files.length >= MAX_FILES) return;
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory() && depth < MAX_DEPTH) await collect(path, depth + 1, files);
      if (!entry.isFile() || UNFINISHED.test(entry.name)) continue;
      const facts = await lstat(join(root, path)).catch(() => undefined);
      if (facts?.isFile()) files.push({ path, size: facts.size, lastModified: facts.mtime.toISOString() });
    }
  }

  /** The path of an open file as the kernel knows it, proved to be inside. */
  async function prove(handle: FileHandle): Promise<void> {
    const [real, folder] = await Promise.all([readlink(`/proc/self/fd/${handle.fd}`), realpath(root)]);
    if (!real.startsWith(`${folder}/`) || !(await handle.stat()).isFile()) throw new ApiError('not_found');
  }

  async function openProved(path: string, flags: number): Promise<FileHandle> {
    const handle = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o640).catch((error) => {
      throw new ApiError('not_found', undefined, { cause: error });
    });
    try {
      await prove(handle);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  return {
    async list() {
      const files: FileListing['files'] = [];
      await collect('', 0, files);
      return { files };
    },
    async open(path) {
      const handle = await openProved(join(root, relativePath(path)), constants.O_RDONLY);
      return { handle, size: (await handle.stat()).size };
    },
    async write(path, content) {
      const target = join(root, relativePath(path));
      await mkdir(dirname(target), { recursive: true });
      const unfinished = `${target}.part-${crypto.randomUUID()}`;
      const handle = await openProved(unfinished, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
      try {
        let size = 0;
        for await (const chunk of content) {
          size += (chunk as Buffer).length;
          if (size > options.maxFileBytes) throw new ApiError('too_large');
          await handle.write(chunk as Buffer);
        }
        await rename(unfinished, target);
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      } finally {
        await handle.close();
      }
    },
  };
}

/** A path as clients write it, without ways up, empty steps and control characters. Throws ApiError. */
function relativePath(path: string): string {
  const steps = path.split('/');
  if (path.length > 1024 || steps.some((step) => step === '' || step === '.' || step === '..' || hasControl(step))) {
    throw new ApiError('bad_request', 'The path is not one of a file in this folder.');
  }
  return steps.join('/');
}

const hasControl = (text: string): boolean => text.split('').some((char) => char < ' ' || char === '\u007f');
