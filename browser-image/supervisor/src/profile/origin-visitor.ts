import type { CdpLink } from '../browser/cdp-link.ts';

/** A hidden page that can stand on any origin without asking its server for anything. */
export interface OriginVisitor {
  /** Runs `script` (the text of a function) with `argument` on a blank page of `origin`; undefined when the origin cannot be stood on. */
  run(origin: string, script: string, argument?: unknown): Promise<unknown>;
  close(): Promise<void>;
}

const BLANK_PAGE = Buffer.from('<!doctype html><title></title>').toString('base64');

export async function openOriginVisitor(link: CdpLink): Promise<OriginVisitor> {
  const { targetId } = await link.send<{ targetId: string }>('Target.createTarget', {
    url: 'about:blank',
    hidden: true,
  });
  const { sessionId } = await link.send<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true });
  let open = true;
  link.on('Fetch.requestPaused', ({ requestId }: { requestId: string }, from) => {
    if (!open || from !== sessionId) return;
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

  return {
    async run(origin, script, argument) {
      const { errorText } = await link.send<{ errorText?: string }>('Page.navigate', { url: `${origin}/` }, sessionId);
      if (errorText !== undefined) return undefined;
      const expression = `location.origin === ${JSON.stringify(origin)} ? (${script})(${JSON.stringify(argument) ?? ''}) : undefined`;
      const { result, exceptionDetails } = await link.send<{
        result: { value?: unknown };
        exceptionDetails?: { text: string };
      }>('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true }, sessionId);
      if (exceptionDetails) throw new Error(`storage of an origin: ${exceptionDetails.text}`);
      return result.value;
    },
    async close() {
      open = false;
      await link.send('Target.closeTarget', { targetId });
    },
  };
}
