import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Browser, type Page, chromium } from 'playwright-core';

/** A real browser of this machine that looks at viewers. */
export const launchWatcher = (): Promise<Browser> =>
  chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });

const artifacts = resolve(import.meta.dirname, '../../.artifacts/viewer');

export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(artifacts, { recursive: true });
  await page.screenshot({ path: join(artifacts, `${name}.png`) });
}

// What the functions below find in the page they run in. They are functions, because the viewer's policy forbids
// evaluating texts, and only these parts, because this program is no page.
declare const document: { querySelector(selector: string): Canvas | null };
declare const window: Record<
  'screenX' | 'screenY' | 'outerWidth' | 'outerHeight' | 'innerWidth' | 'innerHeight',
  number
>;
interface Canvas {
  width: number;
  height: number;
  getContext(kind: '2d'): { getImageData(x: number, y: number, width: number, height: number): { data: Uint8Array } };
  getBoundingClientRect(): { left: number; top: number; width: number };
}

/** Waits for the state that the viewer shows of itself. */
export async function untilState(page: Page, wanted: string, timeoutMs = 90_000): Promise<void> {
  await page.locator(`body[data-state="${wanted}"]`).waitFor({ state: 'attached', timeout: timeoutMs });
}

/** Share of the picture's pixels that differ from its first one; 0 is blank. */
export function pictureVariety(page: Page): Promise<number> {
  return page.evaluate(() => {
    const canvas = document.querySelector('#screen canvas');
    if (!canvas || canvas.width === 0) return 0;
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let different = 0;
    for (let at = 4; at < data.length; at += 4) {
      if (data[at] !== data[0] || data[at + 1] !== data[1] || data[at + 2] !== data[2]) different += 1;
    }
    return different / (data.length / 4);
  });
}

/** Width of the remote page as it sees itself. */
export const pageWidth = (remote: Page): Promise<number> => remote.evaluate(() => window.innerWidth);

interface Point {
  x: number;
  y: number;
}

/** Where a point of the remote page lies on the viewer's page: the remote browser's own bars lie above it. */
export async function pointOnScreen(viewer: Page, remote: Page, point: Point): Promise<Point> {
  const offset = await remote.evaluate(() => ({
    x: window.screenX + (window.outerWidth - window.innerWidth) / 2,
    y: window.screenY + window.outerHeight - window.innerHeight,
  }));
  const picture = await viewer.evaluate(() => {
    const canvas = document.querySelector('#screen canvas')!;
    const { left, top, width } = canvas.getBoundingClientRect();
    return { left, top, scale: width / canvas.width };
  });
  return {
    x: picture.left + (point.x + offset.x) * picture.scale,
    y: picture.top + (point.y + offset.y) * picture.scale,
  };
}
