import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Place } from './place.ts';
import { run } from './run.ts';
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
  await run('browser-image/build.sh', [], { onLine: (line) => step.say(line) });
  const cache = join(place.cache, 'images');
  const names = Object.fromEntries(
    [...readFileSync(join(cache, 'current.env'), 'utf8').matchAll(/^([A-Z_]+)=(.+)$/gm)].map(([, name, image]) => [
      name,
      image,
    ]),
  );
  const image = (variable: string): string => {
    const found = names[variable];
    if (!found) throw new Error(`browser-image/build.sh left no ${variable} in ${cache}/current.env`);
    return found;
  };
  const list = readFileSync(join(cache, 'current.list'), 'utf8').trim().split('\n');
  return {
    services: image('PODWRIGHT_IMAGE'),
    browser: image('PODWRIGHT_BROWSER_IMAGE'),
    redis: image('PODWRIGHT_REDIS_IMAGE'),
    archives: list.map((line) => line.split('\t')[1] ?? '').filter((file) => file !== ''),
  };
}

/** `repository` and `tag` of `registry:5000/name:tag`. */
export function splitImage(image: string): { repository: string; tag: string } {
  const colon = image.lastIndexOf(':');
  return { repository: image.slice(0, colon), tag: image.slice(colon + 1) };
}
