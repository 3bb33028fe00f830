import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { POOL_REASONS, SESSION_REASONS, TENANT_REASONS } from './conditions.ts';

const root = resolve(import.meta.dirname, '../..');

/** Text of every test of these folders, without the words of comments. */
function testsOf(...folders: string[]): string {
  const texts: string[] = [];
  for (const folder of folders) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (name.endsWith('.test.ts')) texts.push(readFileSync(join(root, folder, name), 'utf8'));
    }
  }
  return texts.join('\n').replaceAll(/^\s*(\/\/|\*).*$/gm, '');
}

/** Words that some test expects: quoted, or in a row of a table. */
const mentions = (text: string, word: string): boolean => new RegExp(`['"\\x60 ]${word}['"\\x60 ,]`).test(text);

test.each([
  ['session', SESSION_REASONS, ['operator/src/sessions', 'operator/src/pods', 'gateway/src']],
  ['pool', POOL_REASONS, ['operator/src/pools']],
  ['tenant', TENANT_REASONS, ['operator/src/tenants']],
])('every reason of a %s is brought about by a test', (_kind, reasons, folders) => {
  const text = testsOf(...folders);
  const never = Object.keys(reasons).filter((reason) => !mentions(text, reason));
  expect(never).toEqual([]);
});

test('a reason that nobody mentions is found', () => {
  expect(mentions("reason: 'Known'", 'Known')).toBe(true);
  expect(mentions("reason: 'Known'", 'Kno')).toBe(false);
  expect(mentions("['True Known']", 'Known')).toBe(true);
});
