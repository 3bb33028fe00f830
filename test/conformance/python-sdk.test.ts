import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { installation } from '../harness/installation.ts';

/** The unmodified PyPI SDK, in a virtual environment of its own that later runs find again. */
const VERSION = '3.12.1';
installation();
const cache = process.env['PODWRIGHT_CACHE'] ?? join(homedir(), '.cache', 'podwright');
const folder = join(cache, 'python', `browser-use-sdk-${VERSION}`);
const python = join(folder, 'bin', 'python');
const script = join(import.meta.dirname, 'python_sdk.py');

function makeEnvironment(): void {
  const ready = join(folder, 'ready');
  if (existsSync(ready)) return;
  mkdirSync(join(folder, '..'), { recursive: true });
  execFileSync('python3', ['-m', 'venv', '--clear', folder]);
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', `browser-use-sdk==${VERSION}`]);
  mkdirSync(ready);
}

const names = [
  ...execFileSync('grep', ['-oP', '^def \\K[a-z_]+(?=\\(\\):)', script], { encoding: 'utf8' }).matchAll(/\S+/g),
].map(([name]) => name);

describe(`browser-use-sdk ${VERSION} of PyPI`, () => {
  beforeAll(makeEnvironment);

  test('runs every case that is written', () => {
    const listed = JSON.parse(execFileSync(python, [script, '--list'], { encoding: 'utf8' })) as string[];
    expect(listed).toEqual(names);
  });

  test.each(names.map((name) => [name.replaceAll('_', ' '), name]))('%s', (_sentence, name) => {
    const { status, stderr } = spawnSync(python, [script, name], { encoding: 'utf8', timeout: 230_000 });
    expect(status, stderr.slice(-2_000)).toBe(0);
  });
});
