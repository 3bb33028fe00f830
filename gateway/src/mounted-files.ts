import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ModelsFile } from '@podwright/api/models';
import { Value } from 'typebox/value';

/** Files that the chart mounts, read once at start. A wrong one keeps the process from starting, with its name. */

export async function readTokenKey(folder: string): Promise<{ privatePem: string; kid: string }> {
  const [privatePem, kid] = await Promise.all([
    readFile(join(folder, 'private.pem'), 'utf8'),
    readFile(join(folder, 'kid'), 'utf8'),
  ]);
  return { privatePem, kid: kid.trim() };
}

export async function readModels(path: string): Promise<ModelsFile> {
  const models: unknown = JSON.parse(await readFile(path, 'utf8'));
  if (!Value.Check(ModelsFile, models)) throw new Error(`${path} is not a file of models`);
  return models;
}
