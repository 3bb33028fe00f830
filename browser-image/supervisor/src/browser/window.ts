import type { Viewport } from '@podwright/api/kinds/session';
import type { CdpLink } from './cdp-link.ts';

interface Bounds {
  left?: number;
  top?: number;
  width?: number;
  height?: number;
  windowState?: string;
}

/** Size that the page itself reports, in CSS pixels. */
export async function readPageSize(link: CdpLink, sessionId: string): Promise<Viewport> {
  const { result } = await link.send<{ result: { value?: unknown } }>(
    'Runtime.evaluate',
    { expression: '[innerWidth, innerHeight]', returnByValue: true },
    sessionId,
  );
  const [width, height] = Array.isArray(result.value) ? result.value : [];
  if (typeof width !== 'number' || typeof height !== 'number') throw new Error('the page reports no size');
  return { width, height };
}

/** Height of the browser's own bars: window less page, before anyone overrode the size of the page. */
export async function readBarsHeight(
  link: CdpLink,
  { targetId, sessionId }: { targetId: string; sessionId: string },
): Promise<number> {
  const { bounds } = await link.send<{ bounds: Bounds }>('Browser.getWindowForTarget', { targetId });
  const page = await readPageSize(link, sessionId);
  return Math.max(0, (bounds.height ?? page.height) - page.height);
}

/** Puts the window of a page in the corner of the screen with this size; returns the size Chromium gave it. */
export async function setWindow(link: CdpLink, targetId: string, { width, height }: Viewport): Promise<Viewport> {
  const { windowId, bounds } = await link.send<{ windowId: number; bounds: Bounds }>('Browser.getWindowForTarget', {
    targetId,
  });
  if (bounds.windowState !== undefined && bounds.windowState !== 'normal') {
    await link.send('Browser.setWindowBounds', { windowId, bounds: { windowState: 'normal' } });
  }
  await link.send('Browser.setWindowBounds', { windowId, bounds: { left: 0, top: 0, width, height } });
  const after = await link.send<{ bounds: Bounds }>('Browser.getWindowBounds', { windowId });
  return { width: after.bounds.width ?? width, height: after.bounds.height ?? height };
}
