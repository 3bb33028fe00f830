import { describe, expect, test } from 'vitest';
import { blobKey, keyProblem, profilePrefix } from './blob-key.ts';

describe('a name is a key', () => {
  test.each(['a', 'run/1/step.png', 'Ångström.pdf', 'a b', '.hidden', '...', 'a..b', "it's 100%.txt"])('%j', (name) => {
    expect(keyProblem(name)).toBeNull();
    expect(blobKey('demo', 'downloads', name)).toBe(`tenants/demo/downloads/${name}`);
  });
});

describe('a name is refused', () => {
  const names = [
    '',
    '/',
    '/etc/passwd',
    '..',
    '../x',
    'a/../../x',
    'a/./b',
    'a//b',
    'a/',
    'a\\..\\b',
    'a\u0000b',
    'a\nb',
  ];
  test.each([...names, '\ud800', 'x'.repeat(241), 'x/'.repeat(500)])('%j', (name) => {
    expect(() => blobKey('demo', 'downloads', name)).toThrow(expect.objectContaining({ code: 'bad_request' }));
  });
});

describe('what is around the name is checked too', () => {
  test.each(['', '..', 'a/b', 'UPPER', '-a', 'a..b', '.'])('tenant %j is refused', (tenant) => {
    expect(() => blobKey(tenant, 'downloads', 'a')).toThrow(expect.objectContaining({ code: 'bad_request' }));
  });
  test.each(['', 'profiles', '../profiles', 'Downloads'])('kind %j is refused', (kind) => {
    expect(() => blobKey('demo', kind, 'a')).toThrow(expect.objectContaining({ code: 'bad_request' }));
  });
  test.each([
    ['..', 'x'],
    ['tenant-demo', '../other'],
  ])('profile %j/%j is refused', (namespace, name) => {
    expect(() => profilePrefix(namespace, name)).toThrow(expect.objectContaining({ code: 'bad_request' }));
  });
});
