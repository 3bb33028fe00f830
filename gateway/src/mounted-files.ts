import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ModelsFile } from '@podwright/api/models';
import { Value } from 'typebox/value';

/** Files that the chart mounts, read once at start. A wrong one keeps the process from starting, with its name. */

/** What links are derived from: the first signing key there was. A rotation keeps it beside the keys of today. */
export async function readLinkKey(folder: string): Promise<string> {
  return readFile(join(folder, 'link.key'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return readFile(join(folder, 'private.pem'), 'utf8');
  });
}

export async function readModels(path: string): Promise<ModelsFile> {
  const models: unknown = JSON.parse(await readFile(path, 'utf8'));
  if (!Value.Check(ModelsFile, models)) throw new Error(`${path} is not a file of models`);
  return models;
}
