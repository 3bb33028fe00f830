import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createConfinedFolder } from './confined.ts';

let base: string;
let root: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'podwright-files-'));
  root = join(base, 'downloads');
  mkdirSync(join(root, 'sub'), { recursive: true });
  writeFileSync(join(root, 'a.txt'), 'hello');
  writeFileSync(join(root, 'sub', 'b.txt'), 'hi');
  writeFileSync(join(root, 'c.zip.crdownload'), 'half');
  writeFileSync(join(base, 'secret'), 'secret');
  symlinkSync(join(base, 'secret'), join(root, 'link'));
  symlinkSync(base, join(root, 'out'));
  execFileSync('mkfifo', [join(root, 'pipe')]);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));
const folder = () => createConfinedFolder({ root, maxFileBytes: 10 });

test('lists regular files below the folder, whole ones only', async () => {
  const { files } = await folder().list();
  expect(files.map(({ path, size }) => [path, size])).toEqual([
    ['a.txt', 5],
    ['sub/b.txt', 2],
  ]);
});

test('opens a regular file', async () => {
  const { handle, size } = await folder().open('sub/b.txt');
  expect([(await handle.readFile()).toString(), size]).toEqual(['hi', 2]);
  await handle.close();
});

test.each([
  'link',
  'out/secret',
  'pipe',
  'sub',
  'missing',
  '../secret',
  'sub/../../secret',
  '/etc/passwd',
  '',
  'a//b',
  './a.txt',
  'a\n',
])('does not open %j', async (path) => {
  await expect(folder().open(path)).rejects.toThrow(/Not found|not one of a file/);
});

test('writes a file whole, in folders that it makes', async () => {
  await folder().write('new/x.bin', Readable.from([Buffer.from('123'), Buffer.from('456')]));
  expect(readFileSync(join(root, 'new', 'x.bin'), 'utf8')).toBe('123456');
});

test('writes nothing of a file that is too large', async () => {
  await expect(folder().write('big', Readable.from([Buffer.alloc(6), Buffer.alloc(6)]))).rejects.toThrow('too large');
  expect(readdirSync(root).filter((name) => name.startsWith('big'))).toEqual([]);
});

test('does not write through a link', async () => {
  await expect(folder().write('out/x', Readable.from([Buffer.from('1')]))).rejects.toThrow('Not found');
  await expect(folder().write('out/y/z', Readable.from([Buffer.from('1')]))).rejects.toThrow('Not found');
  expect(readdirSync(base).toSorted()).toEqual(['downloads', 'secret']);
});

test('follows no link in the place of the folder itself', async () => {
  renameSync(root, join(base, 'moved'));
  symlinkSync(base, root);
  expect(await folder().list()).toEqual({ files: [] });
  await expect(folder().open('secret')).rejects.toThrow('Not found');
  await expect(folder().write('x', Readable.from([Buffer.from('1')]))).rejects.toThrow('Not found');
  expect(readdirSync(base).toSorted()).toEqual(['downloads', 'moved', 'secret']);
});
