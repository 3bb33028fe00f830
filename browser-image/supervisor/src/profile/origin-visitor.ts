import type { CdpLink } from '../browser/cdp-link.ts';

/** A page that can stand on any origin without asking its server for anything. */
export interface OriginVisitor {
  /**
   * Runs `script` (the text of a function) with `argument` on a blank page of `origin`; undefined when the origin cannot be
   * stood on. Throws when the script does, and when it takes longer than `timeoutMs`.
   */
  run(origin: string, script: string, argument: unknown, timeoutMs: number): Promise<unknown>;
  close(): Promise<void>;
}

const BLANK_PAGE = Buffer.from('<!doctype html><title></title>').toString('base64');

/** A page of its own that no client of CDP takes for one: Chromium lists it as a target of type `other`. */
export async function openHiddenVisitor(link: CdpLink): Promise<OriginVisitor> {
  const { targetId } = await link.send<{ targetId: string }>('Target.createTarget', {
    url: 'about:blank',
    hidden: true,
  });
  const { sessionId } = await link.send<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true });
  const { run, release } = await standAnywhere(link, sessionId);
  return {
    run,
    async close() {
      release();
      await link.send('Target.closeTarget', { targetId });
    },
  };
}

/**
 * A page that is already there, borrowed before anybody uses it: what is written into its sessionStorage stays with it.
 * It comes back blank and without a history.
 */
export async function borrowPage(link: CdpLink, sessionId: string): Promise<OriginVisitor> {
  const { run, release } = await standAnywhere(link, sessionId);
  return {
    run,
    async close() {
      await link.send('Page.navigate', { url: 'about:blank' }, sessionId);
      release();
      await link.send('Fetch.disable', {}, sessionId);
      await link.send('Network.setBypassServiceWorker', { bypass: false }, sessionId);
      await link.send('Network.disable', {}, sessionId);
      await link.send('Page.resetNavigationHistory', {}, sessionId);
    },
  };
}

async function standAnywhere(
  link: CdpLink,
  sessionId: string,
): Promise<{ run: OriginVisitor['run']; release: () => void }> {
  const release = link.on('Fetch.requestPaused', ({ requestId }: { requestId: string }, from) => {
    if (from !== sessionId) return;
    link
      .send(
        'Fetch.fulfillRequest',
        {
          requestId,
          responseCode: 200,
          responseHeaders: [{ name: 'Content-Type', value: 'text/html' }],
          body: BLANK_PAGE,
        },
        sessionId,
      )
      // The page moved on; the next navigation brings its own request.
      .catch(() => undefined);
  });
  await link.send('Network.enable', {}, sessionId);
  // A service worker would answer with a page of its own.
  await link.send('Network.setBypassServiceWorker', { bypass: true }, sessionId);
  await link.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }, sessionId);

  async function visit(origin: string, script: string, argument: unknown): Promise<unknown> {
    const { errorText } = await link.send<{ errorText?: string }>('Page.navigate', { url: `${origin}/` }, sessionId);
    if (errorText !== undefined) return undefined;
    const expression = `location.origin === ${JSON.stringify(origin)} ? (${script})(${JSON.stringify(argument)}) : undefined`;
    const { result, exceptionDetails } = await link.send<{
      result: { value?: unknown };
      exceptionDetails?: { text: string };
    }>('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true }, sessionId);
    if (exceptionDetails) throw new Error(`storage of an origin: ${exceptionDetails.text}`);
    return result.value;
  }

  return {
    async run(origin, script, argument, timeoutMs) {
      const { promise: late, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(() => reject(new Error('the origin took too long')), timeoutMs);
      try {
        return await Promise.race([visit(origin, script, argument), late]);
      } finally {
        clearTimeout(timer);
      }
    },
    release,
  };
}
