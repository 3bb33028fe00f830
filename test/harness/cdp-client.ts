/** A CDP client of a few lines, so that tests and benchmarks see the product and not a client library. */
export interface CdpClient {
  send(method: string, params?: object, sessionId?: string): Promise<Record<string, unknown>>;
  /** Opens a page at `url` and waits for its load event. */
  goto(url: string): Promise<void>;
  /** Navigates without expecting success: the main document's HTTP status, or why there was none. */
  visit(url: string): Promise<{ status?: number; errorText?: string }>;
  close(): void;
}

interface CdpEvent {
  method: string;
  sessionId?: string;
  params?: { response?: { status: number }; type?: string };
}

export async function connectCdp(cdpUrl: string): Promise<CdpClient> {
  const socket = new WebSocket(cdpUrl.replace(/^http/, 'ws'));
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve(), { once: true });
    socket.addEventListener('close', (event) => reject(new Error(`closed: ${event.code} ${event.reason}`)), {
      once: true,
    });
    socket.addEventListener('error', () => reject(new Error(`cannot connect to the CDP URL`)), { once: true });
  });
  const answers = new Map<
    number,
    { resolve: (result: Record<string, unknown>) => void; reject: (error: Error) => void }
  >();
  const listeners = new Set<(event: CdpEvent) => void>();
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as CdpEvent & {
      id?: number;
      result?: Record<string, unknown>;
      error?: { message: string };
    };
    if (message.id === undefined) {
      for (const listener of listeners) listener(message);
      return;
    }
    const waiting = answers.get(message.id);
    answers.delete(message.id);
    if (message.error) waiting?.reject(new Error(message.error.message));
    else waiting?.resolve(message.result ?? {});
  });
  let last = 0;
  const send: CdpClient['send'] = (method, params = {}, sessionId) => {
    last += 1;
    const id = last;
    socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }));
    return new Promise((resolve, reject) => answers.set(id, { resolve, reject }));
  };
  let attached: Promise<string> | undefined;
  const page = (): Promise<string> => {
    attached ??= (async () => {
      const { targetInfos } = (await send('Target.getTargets')) as {
        targetInfos: { targetId: string; type: string }[];
      };
      const target = targetInfos.find(({ type }) => type === 'page');
      const targetId = target?.targetId ?? (await send('Target.createTarget', { url: 'about:blank' }))['targetId'];
      const { sessionId } = (await send('Target.attachToTarget', { targetId, flatten: true })) as { sessionId: string };
      await send('Page.enable', {}, sessionId);
      await send('Network.enable', {}, sessionId);
      return sessionId;
    })();
    return attached;
  };

  return {
    send,
    async goto(url) {
      const sessionId = await page();
      const loaded = new Promise<void>((resolve) => {
        listeners.add((event) => {
          if (event.method === 'Page.loadEventFired' && event.sessionId === sessionId) resolve();
        });
      });
      const { errorText } = await send('Page.navigate', { url }, sessionId);
      if (errorText !== undefined) throw new Error(`the page did not load: ${JSON.stringify(errorText)}`);
      await loaded;
    },
    async visit(url) {
      const sessionId = await page();
      let status: number | undefined;
      const listener = (event: CdpEvent): void => {
        if (
          event.method === 'Network.responseReceived' &&
          event.sessionId === sessionId &&
          event.params?.type === 'Document'
        ) {
          status ??= event.params.response?.status;
        }
      };
      listeners.add(listener);
      try {
        const { errorText } = await send('Page.navigate', { url }, sessionId);
        return {
          ...(status === undefined ? {} : { status }),
          ...(typeof errorText === 'string' ? { errorText } : {}),
        };
      } catch (error) {
        return { errorText: (error as Error).message };
      } finally {
        listeners.delete(listener);
      }
    },
    close: () => socket.close(),
  };
}
