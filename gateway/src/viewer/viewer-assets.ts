import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One file that browsers load. */
export interface Asset {
  type: string;
  bytes: Buffer;
  etag: string;
}

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/**
 * Everything the viewer page is made of, read once: `page/<name>` is ours, `novnc/<path>` is noVNC, unmodified from its
 * package. Throws when a part is missing, so that a broken image does not become ready.
 */
export async function loadViewerAssets(): Promise<ReadonlyMap<string, Asset>> {
  const page = await pageTexts();
  const novnc = dirname(dirname(fileURLToPath(import.meta.resolve('@novnc/novnc'))));
  const assets = new Map(
    Object.entries(page).map(([name, text]) => [`page/${name}`, assetOf(name, Buffer.from(text))]),
  );
  for (const folder of ['core', 'vendor']) {
    for (const path of await filesBelow(join(novnc, folder))) {
      if (!path.endsWith('.js')) continue;
      assets.set(`novnc/${relative(novnc, path).split(sep).join('/')}`, assetOf(path, await readFile(path)));
    }
  }
  for (const needed of ['page/index.html', 'page/main.js', 'novnc/core/rfb.js']) {
    if (!assets.has(needed)) throw new Error(`the viewer has no ${needed}`);
  }
  return assets;
}

/** From the folder beside this file, or from the module that the build puts beside the bundle. */
async function pageTexts(): Promise<Record<string, string>> {
  const bundled = new URL('./viewer-page.mjs', import.meta.url);
  if (existsSync(bundled)) return ((await import(bundled.href)) as { default: Record<string, string> }).default;
  const folder = new URL('./page/', import.meta.url);
  const names = (await readdir(folder)).filter((name) => (name.split('.').at(-1) ?? '') in TYPES);
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(new URL(name, folder), 'utf8')])),
  );
}

const assetOf = (name: string, bytes: Buffer): Asset => ({
  type: TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
  bytes,
  etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`,
});

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
