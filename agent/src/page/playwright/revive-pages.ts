import { once } from 'node:events';
import { WebSocket } from 'ws';
import { within } from '../../within.ts';

/** A page that is well answers at once. */
const ANSWER_MS = 1_500;
const RELOAD_MS = 4_000;
const CONNECT_MS = 5_000;

/**
 * Playwright cannot attach to a browser in which one page answers nothing: it shows a dialog whose client is gone (no
 * other client can answer it any more), or it has crashed. Such pages are loaded again, or closed when that does not
 * help. Gives a sentence for each, for the model.
 */
export async function revivePages(options: {
  endpoint: string;
  headers: Record<string, string>;
  signal: AbortSignal;
}): Promise<string[]> {
  const { signal } = options;
  const socket = new WebSocket(options.endpoint, { headers: options.headers, maxPayload: 16 * 1024 * 1024 });
  socket.on('error', () => {});
  try {
    await within(once(socket, 'open'), CONNECT_MS, signal);
    const send = createSender(socket, signal);
    const { targetInfos } = (await send('Target.getTargets')) as {
      targetInfos: { targetId: string; type: string; url: string }[];
    };
    const pages = targetInfos.filter((target) => target.type === 'page');
    const told = await Promise.all(pages.map((page) => revivePage(send, page)));
    const { length: closed } = told.filter((outcome) => outcome === 'closed');
    if (closed === pages.length) await send('Target.createTarget', { url: 'about:blank' });
    return told.flatMap((outcome, index) => {
      if (outcome === 'well') return [];
      const url = pages[index]?.url ?? '';
      return [
        outcome === 'reloaded'
          ? `The page ${url} did not answer and was loaded again.`
          : `The page ${url} did not answer and was closed.`,
      ];
    });
  } finally {
    socket.terminate();
  }
}

type Send = (method: string, parameters?: object, sessionId?: string, milliseconds?: number) => Promise<unknown>;

async function revivePage(send: Send, { targetId }: { targetId: string }): Promise<'well' | 'reloaded' | 'closed'> {
  const { sessionId } = (await send('Target.attachToTarget', { targetId, flatten: true })) as { sessionId: string };
  const answers = (milliseconds: number) =>
    send('Runtime.evaluate', { expression: '1' }, sessionId, milliseconds).then(
      () => true,
      () => false,
    );
  try {
    if (await answers(ANSWER_MS)) return 'well';
    await send('Page.reload', {}, sessionId).catch(() => {});
    if (await answers(RELOAD_MS)) return 'reloaded';
    await send('Target.closeTarget', { targetId });
    return 'closed';
  } finally {
    await send('Target.detachFromTarget', { sessionId }).catch(() => {});
  }
}

function createSender(socket: WebSocket, signal: AbortSignal): Send {
  let last = 0;
  const waiting = new Map<number, (answer: { result?: unknown; error?: { message: string } }) => void>();
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as { id?: number; result?: unknown; error?: { message: string } };
    if (message.id !== undefined) waiting.get(message.id)?.(message);
  });
  return async (method, params = {}, sessionId, milliseconds = ANSWER_MS) => {
    last += 1;
    const id = last;
    const answer = new Promise<{ result?: unknown; error?: { message: string } }>((resolve) =>
      waiting.set(id, resolve),
    );
    socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }));
    try {
      const { result, error } = await within(answer, milliseconds, signal);
      if (error) throw new Error(`${method}: ${error.message}`);
      return result;
    } finally {
      waiting.delete(id);
    }
  };
}
