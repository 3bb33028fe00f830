import { describe, expect, test } from 'vitest';
import { pool } from '../testing/objects.ts';
import { type PoolLimits, poolOffence } from './pool-offence.ts';

const limits: PoolLimits = {
  images: ['registry:5000/browser', 'other/browser:1'],
  unsandboxed: ['ns/trusted'],
};
const offence = (spec: object, over: Partial<PoolLimits> = {}): string | undefined =>
  poolOffence({ ...pool(), spec: { image: 'registry:5000/browser:7', ...spec } }, { ...limits, ...over });

describe('a pool', () => {
  test.each([
    ['of a listed image, any tag', {}],
    ['of a listed image by digest', { image: 'registry:5000/browser@sha256:00' }],
    ['of a listed tag', { image: 'other/browser:1' }],
    ['of a listed tag by digest', { image: 'other/browser:1@sha256:00' }],
    ['with allowed flags', { chromiumFlags: ['--mute-audio'] }],
    ['with a sandbox', { sandbox: { mode: 'Seccomp' } }],
  ])('%s is fine', (_, spec) => {
    expect(offence(spec)).toBeUndefined();
  });

  test.each([
    ['of another image', { image: 'evil/browser:7' }, 'evil/browser:7'],
    ['of a longer name', { image: 'registry:5000/browser-evil:7' }, 'browser-evil'],
    ['of another port of the registry', { image: 'registry:5001/browser:7' }, '5001'],
    ['of another tag than the listed', { image: 'other/browser:2' }, 'other/browser:2'],
    ['of a tag that begins like the listed', { image: 'other/browser:11' }, 'other/browser:11'],
    ['with another supervisor', { supervisorImage: 'evil/supervisor' }, 'evil/supervisor'],
    ['without a sandbox', { sandbox: { mode: 'None' } }, 'None'],
    ['with a flag that is not allowed', { chromiumFlags: ['--mute-audio', '--no-sandbox'] }, '--no-sandbox'],
  ])('%s is refused, and told why', (_, spec, words) => {
    expect(offence(spec)).toContain(words);
  });

  test('without a sandbox is fine where the platform lists it', () => {
    const { namespace, name } = pool().metadata;
    expect(offence({ sandbox: { mode: 'None' } }, { unsandboxed: [`${namespace}/${name}`] })).toBeUndefined();
  });

  test('has any image where the platform lists none', () => {
    expect(offence({ image: 'any' }, { images: [] })).toBeUndefined();
  });
});
