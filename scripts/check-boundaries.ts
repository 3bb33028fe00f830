/**
 * Checks that workspaces import only what boundaries.json allows, and that nobody reaches into another by a relative path.
 * Prints one line per violation and exits with 1.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const rules = JSON.parse(readFileSync(join(root, 'boundaries.json'), 'utf8')) as Record<string, string[]>;
const workspaces = Object.keys(rules).filter((name) => !name.startsWith('$'));
const workspaceOf = (path: string): string | undefined =>
  workspaces.filter((name) => path === name || path.startsWith(`${name}/`)).toSorted((a, b) => b.length - a.length)[0];
/** `@podwright/supervisor` lives in browser-image/supervisor; every other package is named for its folder. */
const folderOf = (packageName: string): string =>
  packageName === 'supervisor' ? 'browser-image/supervisor' : packageName;

const violations: string[] = [];
for (const workspace of workspaces) {
  const allowed = new Set([workspace, ...(rules[workspace] ?? [])]);
  for (const file of globSync(`${workspace}/**/*.ts`, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] })) {
    if (workspaceOf(file) !== workspace) continue;
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, specifier] of text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)) {
      const target = specifier!.startsWith('.')
        ? workspaceOf(relative(root, resolve(root, dirname(file), specifier!)))
        : /^@podwright\/([^/]+)/.exec(specifier!)?.[1];
      if (target === undefined) continue;
      const folder = folderOf(target);
      if (!allowed.has(folder)) violations.push(`${file}: may not import ${specifier} (${workspace} -> ${folder})`);
      if (specifier!.startsWith('.') && folder !== workspace)
        violations.push(`${file}: imports ${specifier} by path; use its package name`);
    }
  }
}
for (const line of violations) console.error(line);
console.log(violations.length === 0 ? 'boundaries: ok' : `boundaries: ${violations.length} violations`);
process.exitCode = violations.length === 0 ? 0 : 1;
