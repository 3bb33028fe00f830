/**
 * Bundles every process into one file: dist/<name>.mjs. What cannot be bundled is copied beside it by the image.
 * Prints a line per bundle; exits with 1 when one fails.
 */
import { existsSync } from 'node:fs';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '..');
const entries: Record<string, string> = {
  operator: 'operator/src/main.ts',
  keygen: 'operator/src/keygen/main.ts',
  gateway: 'gateway/src/main.ts',
  agent: 'agent/src/main.ts',
  'demo-model': 'agent/src/demo-model/main.ts',
  'demo-site': 'agent/src/demo-site/main.ts',
  keeper: 'keeper/src/main.ts',
  'keeper-rewrap': 'keeper/src/rotation/main.ts',
  supervisor: 'browser-image/supervisor/src/main.ts',
};
const wanted = process.argv.slice(2);
const chosen = Object.entries(entries).filter(([name]) => wanted.length === 0 || wanted.includes(name));
const missing = chosen.filter(([, entry]) => !existsSync(join(root, entry)));
if (missing.length > 0) {
  console.error(`no such entry: ${missing.map(([, entry]) => entry).join(', ')}`);
  process.exit(1);
}

await Promise.all(
  chosen.map(async ([name, entry]) => {
    const outfile = join(root, 'dist', `${name}.mjs`);
    const result = await build({
      entryPoints: [join(root, entry)],
      outfile,
      bundle: true,
      platform: 'node',
      target: 'node24',
      format: 'esm',
      // Stacks in logs name the real files; the source itself is not shipped.
      sourcemap: 'linked',
      sourcesContent: false,
      legalComments: 'none',
      metafile: true,
      logLevel: 'error',
      // playwright-core finds its own files at run time; the image carries it in node_modules.
      external: ['playwright-core', '@novnc/novnc', '*.node'],
      // CommonJS packages inside an ES module bundle still call require.
      banner: {
        js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
      },
      absWorkingDir: root,
    });
    const bytes = Object.values(result.metafile.outputs).reduce(
      (largest, output) => Math.max(largest, output.bytes),
      0,
    );
    console.log(`dist/${name}.mjs  ${Math.round(bytes / 1024)} KiB`);
  }),
);

if (chosen.some(([name]) => name === 'gateway')) {
  // The viewer's page goes to browsers as it is; beside the bundle it is one module of texts by name.
  const folder = join(root, 'gateway/src/viewer/page');
  const names = (await readdir(folder)).filter((name) => /\.(html|css|js|svg)$/.test(name));
  const texts = await Promise.all(
    names.toSorted().map(async (name) => [name, await readFile(join(folder, name), 'utf8')]),
  );
  await writeFile(join(root, 'dist/viewer-page.mjs'), `export default ${JSON.stringify(Object.fromEntries(texts))};\n`);
  console.log(`dist/viewer-page.mjs  ${names.length} files`);
}
