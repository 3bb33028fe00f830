import type { Viewport } from '@podwright/api/kinds/session';
import type { CdpLink } from './cdp-link.ts';

/** What the session wants of each of its pages. */
export interface PageOverrides {
  /** `scale` shrinks the picture of a page that is larger than its window. */
  viewport: (Viewport & { scale: number }) | null;
  locale: string | undefined;
  timezone: string | undefined;
}

/**
 * Applies the overrides to one page. A value that the page refuses because another client owns it stays with that client;
 * the other values are applied all the same. Returns what failed, in words.
 */
export async function applyOverrides(
  link: CdpLink,
  sessionId: string,
  { viewport, locale, timezone }: PageOverrides,
): Promise<string[]> {
  const calls: Promise<unknown>[] = [applyViewport(link, sessionId, viewport)];
  if (locale !== undefined) {
    calls.push(
      link.send('Emulation.setLocaleOverride', { locale }, sessionId),
      // An empty user agent leaves Chromium's own, client hints included.
      link.send('Emulation.setUserAgentOverride', { userAgent: '', acceptLanguage: acceptLanguage(locale) }, sessionId),
    );
  }
  if (timezone !== undefined) {
    calls.push(link.send('Emulation.setTimezoneOverride', { timezoneId: timezone }, sessionId));
  }
  const settled = await Promise.allSettled(calls);
  return settled.flatMap((call) => (call.status === 'rejected' ? [(call.reason as Error).message] : []));
}

export async function applyViewport(
  link: CdpLink,
  sessionId: string,
  viewport: PageOverrides['viewport'],
): Promise<void> {
  if (viewport === null) {
    await link.send('Emulation.clearDeviceMetricsOverride', {}, sessionId);
    return;
  }
  const { width, height, scale } = viewport;
  await link.send(
    'Emulation.setDeviceMetricsOverride',
    { width, height, scale, deviceScaleFactor: 0, mobile: false, screenWidth: width, screenHeight: height },
    sessionId,
  );
}

/** `de-DE` becomes `de-DE,de`. */
export function acceptLanguage(locale: string): string {
  const [language = locale] = locale.split('-', 1);
  return language === locale ? locale : `${locale},${language}`;
}
