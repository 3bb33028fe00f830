import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import { ApiError } from '@podwright/api/errors';
import type { FileListing } from '@podwright/api/pod-door';

/**
 * Files in a folder that a hostile browser process writes too. A symbolic link there would be followed in the supervisor's
 * own file system, so every path is walked from an open folder to the next, none of them a link.
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
/** A folder and no link to one. */
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Chromium's own files of downloads that are not finished. */
const UNFINISHED = /\.crdownload$/;

export function createConfinedFolder(options: { root: string; maxFileBytes: number }): ConfinedFolder {
  const { root } = options;

  /** A hostile process may put a link in the place of the folder itself: that one is not followed either. */
  const openRoot = (): Promise<FileHandle> => open(root, FOLDER);

  /** `path` is where the open folder lies below the root. Closes it. */
  async function collect(folder: FileHandle, path: string, depth: number, files: FileListing['files']): Promise<void> {
    try {
      const entries = await readdir(under(folder, '.'), { withFileTypes: true }).catch(() => []);
      for (const entry of entries) {
        if (files.length >= MAX_FILES) return;
        const inside = posix.join(path, entry.name);
        if (entry.isDirectory() && depth < MAX_DEPTH) {
          const next = await open(under(folder, entry.name), FOLDER).catch(() => undefined);
          if (next) await collect(next, inside, depth + 1, files);
        }
        if (!entry.isFile() || UNFINISHED.test(entry.name)) continue;
        const facts = await lstat(under(folder, entry.name)).catch(() => undefined);
        if (facts?.isFile()) files.push({ path: inside, size: facts.size, lastModified: facts.mtime.toISOString() });
      }
    } finally {
      await folder.close();
    }
  }

  /** The folder that holds the last step of a path, reached step by step without following a link. */
  async function openParent(steps: readonly string[], make: boolean): Promise<FileHandle> {
    let folder = await openRoot().catch((error: unknown) => {
      throw new ApiError('not_found', undefined, { cause: error });
    });
    for (const step of steps.slice(0, -1)) {
      const inside = under(folder, step);
      try {
        if (make) await mkdir(inside, { mode: 0o2770 }).catch(unlessThere);
        const next = await open(inside, FOLDER);
        await folder.close();
        folder = next;
      } catch (error) {
        await folder.close();
        throw new ApiError('not_found', undefined, { cause: error });
      }
    }
    return folder;
  }

  return {
    async list() {
      const files: FileListing['files'] = [];
      const folder = await openRoot().catch(() => undefined);
      if (folder) await collect(folder, '', 0, files);
      return { files };
    },
    async open(path) {
      const steps = stepsOf(path);
      const parent = await openParent(steps, false);
      try {
        // Without O_NONBLOCK a named pipe would wait for its writer.
        const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
        const handle = await open(under(parent, steps.at(-1)!), flags);
        const facts = await handle.stat();
        if (facts.isFile()) return { handle, size: facts.size };
        await handle.close();
        throw new ApiError('not_found');
      } catch (error) {
        throw error instanceof ApiError ? error : new ApiError('not_found', undefined, { cause: error });
      } finally {
        await parent.close();
      }
    },
    async write(path, content) {
      const steps = stepsOf(path);
      const parent = await openParent(steps, true);
      const unfinished = under(parent, `.part-${crypto.randomUUID()}`);
      try {
        const handle = await open(unfinished, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o640);
        try {
          await copy(content, handle, options.maxFileBytes);
        } finally {
          await handle.close();
        }
        await rename(unfinished, under(parent, steps.at(-1)!));
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      } finally {
        await parent.close();
      }
    },
  };
}

async function copy(content: Readable, handle: FileHandle, maxBytes: number): Promise<void> {
  let size = 0;
  for await (const chunk of content) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) throw new ApiError('too_large');
    await handle.write(chunk as Buffer);
  }
}

/** A name in an open folder, whatever became of the folder's own path meanwhile. */
const under = (folder: FileHandle, name: string): string => `/proc/self/fd/${folder.fd}/${name}`;

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

/** The steps of a path as clients write it, without ways up, empty steps and control characters. Throws ApiError. */
function stepsOf(path: string): string[] {
  const steps = path.split('/');
  if (path.length > 1024 || steps.some((step) => step === '' || step === '.' || step === '..' || hasControl(step))) {
    throw new ApiError('bad_request', 'The path is not one of a file in this folder.');
  }
  return steps;
}

const hasControl = (text: string): boolean => text.split('').some((char) => char < ' ' || char === '\u007f');
