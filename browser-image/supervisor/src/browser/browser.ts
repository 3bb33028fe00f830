import type { Logger } from 'pino';
import type { PoolDefaults, SandboxFacts } from '@podwright/api/pod-door';
import type { Viewport } from '@podwright/api/kinds/session';
import { type CdpLink, openCdpLink } from './cdp-link.ts';
import type { ChromiumHttp } from './chromium-http.ts';
import { type OriginLog, createOriginLog } from './origin-log.ts';
import type { LauncherClient } from './launcher-client.ts';
import { type Observation, decideNotReady } from './readiness.ts';
import { type Pages, openPages } from './pages.ts';
import { type PageOverrides, applyOverrides } from './page-overrides.ts';
import { askChromiumForSandbox, sandboxFacts } from './sandbox-proof.ts';
import { readBarsHeight, readPageSize, setWindow } from './window.ts';
import { type ViewportOwner, createViewportOwner } from './viewport-owner.ts';

/** The one browser of this pod, as the supervisor sees and steers it. */
export interface Browser {
  /** Watches Chromium until `signal` aborts, connecting again when the link is lost. */
  watch(signal: AbortSignal): Promise<void>;
  /** The link and the pages; throws when Chromium does not answer at the moment. */
  live(): { link: CdpLink; pages: Pages };
  readonly viewport: ViewportOwner;
  /** Origins that were used since the browser started; survives a lost link. */
  readonly origins: OriginLog;
  /** Sets locale and time zone for the pages that are and will be. */
  setLocale(wanted: { locale: string | undefined; timezone: string | undefined }): Promise<void>;
  /** Opens `url` in the first page; does not wait for it to load. */
  open(url: string): Promise<void>;
  readonly notReadyBecause: () => string | undefined;
  readonly version: string | undefined;
  sandbox(): SandboxFacts | null;
}

const STARTING_PAUSE_MS = 100;
const WATCH_PAUSE_MS = 5000;
/** Height of the tab strip and address bar, until the window was measured. */
const ASSUMED_BARS_HEIGHT = 143;

export function createBrowser(options: {
  chromium: ChromiumHttp;
  chromiumPort: number;
  launcher: LauncherClient;
  defaults: PoolDefaults;
  pause: (ms: number) => Promise<void>;
  log: Logger;
}): Browser {
  const { chromium, launcher, log } = options;
  const seen: Observation = { version: undefined, pages: 0, facts: undefined, chromiumAdequate: undefined };
  let link: CdpLink | undefined;
  let pages: Pages | undefined;
  let barsHeight = ASSUMED_BARS_HEIGHT;
  let measured = false;
  const origins = createOriginLog();
  const overrides: PageOverrides = { viewport: null, locale: undefined, timezone: undefined };

  const failed = (words: string, error: unknown): void => log.warn({ err: error }, words);

  function live(): { link: CdpLink; pages: Pages } {
    if (!link || !pages) throw new Error('Chromium does not answer at the moment');
    return { link, pages };
  }

  const overridden = (): boolean =>
    overrides.viewport !== null || overrides.locale !== undefined || overrides.timezone !== undefined;

  async function prepare(on: CdpLink, sessionId: string): Promise<void> {
    if (!overridden()) return;
    const problems = await applyOverrides(on, sessionId, overrides);
    if (problems.length > 0) log.warn({ problems }, 'a page kept overrides of its own');
  }

  async function setPages(viewport: PageOverrides['viewport']): Promise<Viewport> {
    const { link, pages } = live();
    overrides.viewport = viewport;
    if (viewport !== null) await pages.holdNewPages();
    const attached = pages.attached();
    await Promise.all(attached.map(({ sessionId }) => prepare(link, sessionId)));
    if (viewport === null) {
      await Promise.all(
        attached.map(({ sessionId }) => link.send('Emulation.clearDeviceMetricsOverride', {}, sessionId)),
      );
    }
    const newest = attached.at(-1);
    if (!newest) throw new Error('the browser has no page');
    return readPageSize(link, newest.sessionId);
  }

  const viewport = createViewportOwner({
    max: options.defaults.maxScreen,
    barsHeight: () => barsHeight,
    failed,
    actions: {
      setScreen: (size) => launcher.setScreen(size),
      setPages,
      async setWindow(size) {
        const { link, pages } = live();
        const newest = pages.attached().at(-1);
        return newest ? setWindow(link, newest.targetId, size) : size;
      },
    },
  });

  async function connect(): Promise<void> {
    const path = await chromium.browserPath();
    const opened = await openCdpLink({ port: options.chromiumPort, path, timeoutMs: STARTING_PAUSE_MS * 50 });
    try {
      const openedPages = await openPages({
        link: opened,
        origins,
        failed,
        prepare: (sessionId) => prepare(opened, sessionId),
      });
      link = opened;
      pages = openedPages;
    } catch (error) {
      opened.close();
      throw error;
    }
    opened.onClose(() => {
      log.warn('the connection to Chromium closed');
      link = undefined;
      pages = undefined;
      seen.version = undefined;
      chromium.forget();
    });
  }

  async function observe(): Promise<void> {
    // Every part is asked, so that the reason given is the first that counts and not the first that failed.
    seen.facts = await launcher.facts().catch(() => undefined);
    try {
      if (!link) await connect();
      const current = live();
      const { product } = await current.link.send<{ product: string }>('Browser.getVersion');
      seen.version = product;
      const attached = current.pages.attached();
      seen.pages = attached.length;
      if (seen.chromiumAdequate === undefined) {
        seen.chromiumAdequate = await askChromiumForSandbox(current.link, options.pause).catch(() => null);
      }
      const [first] = attached;
      if (!measured && first) {
        barsHeight = await readBarsHeight(current.link, first);
        measured = true;
      }
    } catch (error) {
      log.debug({ err: error }, 'Chromium does not answer yet');
      seen.version = undefined;
    }
  }

  const notReadyBecause = (): string | undefined => decideNotReady(seen, options.defaults.sandboxMode);

  return {
    viewport,
    origins,
    live,
    notReadyBecause,
    async watch(signal) {
      let wasReady = false;
      while (!signal.aborted) {
        await observe();
        const because = notReadyBecause();
        if ((because === undefined) !== wasReady) {
          wasReady = because === undefined;
          log.info({ ready: wasReady, because, version: seen.version }, wasReady ? 'ready' : 'not ready');
        }
        await options.pause(wasReady ? WATCH_PAUSE_MS : STARTING_PAUSE_MS);
      }
      link?.close();
    },
    async setLocale({ locale, timezone }) {
      const { link, pages } = live();
      overrides.locale = locale;
      overrides.timezone = timezone;
      if (!overridden()) return;
      await pages.holdNewPages();
      await Promise.all(pages.attached().map(({ sessionId }) => prepare(link, sessionId)));
    },
    async open(url) {
      const { link, pages } = live();
      const [first] = pages.attached();
      if (!first) throw new Error('the browser has no page');
      // The answer comes only when the page has answered; nobody waits for that here.
      link.send('Page.navigate', { url }, first.sessionId).catch((error: unknown) => {
        failed('the start page did not answer', error);
      });
    },
    get version() {
      return seen.version;
    },
    sandbox: () => (seen.facts ? sandboxFacts(seen.facts, seen.chromiumAdequate ?? null) : null),
  };
}
