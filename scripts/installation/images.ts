import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Place } from './place.ts';
import { ROOT, run } from './run.ts';
import type { Step } from './steps.ts';

/** Images of this source tree, `NAME:TAG`, and their archives. */
export interface Images {
  services: string;
  browser: string;
  redis: string;
  archives: string[];
}

/**
 * Builds what is out of date. With PODWRIGHT_REGISTRY set (`registry.example.com/team`) nothing is built: the images are
 * expected there under the tag PODWRIGHT_TAG.
 */
export async function makeImages(place: Place, step: Step): Promise<Images> {
  const registry = process.env['PODWRIGHT_REGISTRY'];
  if (registry) {
    const tag = process.env['PODWRIGHT_TAG'];
    if (!tag) throw new Error('PODWRIGHT_REGISTRY needs PODWRIGHT_TAG: the tag under which the images are there');
    const named = (name: string): string => `${registry}/${name}:${tag}`;
    return {
      services: named('podwright'),
      browser: named('podwright-browser'),
      redis: named('podwright-redis'),
      archives: [],
    };
  }
  const cache = join(place.cache, 'images');
  const remembered = join(cache, 'sources', `${sourcesHash(cache)}.json`);
  const known = readKnown(remembered);
  if (known) {
    step.say('nothing has changed since they were built');
    return known;
  }
  await run('browser-image/build.sh', [], { onLine: (line) => step.say(line) });
  const images = readBuilt(join(ROOT, '.artifacts', 'images'));
  mkdirSync(join(cache, 'sources'), { recursive: true });
  writeFileSync(remembered, JSON.stringify(images));
  return images;
}

/** What `browser-image/build.sh` says it built. */
function readBuilt(folder: string): Images {
  const text = readFileSync(join(folder, 'current.env'), 'utf8');
  const names = new Map([...text.matchAll(/^([A-Z_]+)=(.+)$/gm)].map(([, name = '', image = '']) => [name, image]));
  const image = (variable: string): string => {
    const found = names.get(variable);
    if (!found) throw new Error(`browser-image/build.sh left no ${variable} in ${folder}/current.env`);
    return found;
  };
  const list = readFileSync(join(folder, 'current.list'), 'utf8').trim().split('\n');
  return {
    services: image('PODWRIGHT_IMAGE'),
    browser: image('PODWRIGHT_BROWSER_IMAGE'),
    redis: image('PODWRIGHT_REDIS_IMAGE'),
    archives: list.map((line) => line.split('\t')[1] ?? '').filter((file) => file !== ''),
  };
}

/** Images that these sources were built into before, if their archives are still there. */
function readKnown(file: string): Images | null {
  if (!existsSync(file)) return null;
  const images = JSON.parse(readFileSync(file, 'utf8')) as Images;
  return images.archives.every((archive) => existsSync(archive)) ? images : null;
}

/** A hash over everything that the images are made from in this tree; tests are not. */
function sourcesHash(cache: string): string {
  const patterns = ['*/src/**/*', 'browser-image/**/*', 'scripts/build.ts', 'package-lock.json'];
  const exclude = ['**/node_modules/**', '**/dist/**', '**/*.test.ts'];
  const hash = createHash('sha256').update(process.version);
  const refreshed = join(cache, 'refreshed');
  if (existsSync(refreshed)) hash.update(readFileSync(refreshed));
  for (const name of globSync(patterns, { cwd: ROOT, exclude }).toSorted()) {
    const path = join(ROOT, name);
    if (statSync(path).isFile()) hash.update(name).update(readFileSync(path));
  }
  return hash.digest('hex').slice(0, 20);
}

/** `repository` and `tag` of `registry:5000/name:tag`. */
export function splitImage(image: string): { repository: string; tag: string } {
  const colon = image.lastIndexOf(':');
  return { repository: image.slice(0, colon), tag: image.slice(colon + 1) };
}
