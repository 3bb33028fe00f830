import { setTimeout as delay } from 'node:timers/promises';
import { type AgentBrowser, BrowserLostError } from '../page/browser.ts';

/** The session, or the pod the run began in, is gone for good. */
export class SessionGoneError extends Error {
  override readonly name = 'SessionGoneError';
}

/** A way into the browser of a session, good for one connection. */
export interface DoorPass {
  endpoint: string;
  headers: Record<string, string>;
  podUid: string;
}

export interface BrowserLink {
  /** The connected browser; connects first when there is none. Throws SessionGoneError, or BrowserLostError after all tries. */
  browser(signal: AbortSignal): Promise<AgentBrowser>;
  /** Forgets a connection that failed. */
  drop(): Promise<void>;
  podUid(): string | null;
}

const TRIES = 6;
const FIRST_PAUSE_MS = 400;

export function createBrowserLink(options: {
  /** Asks for a pass. Throws SessionGoneError; anything else is tried again. */
  askDoor: (signal: AbortSignal) => Promise<DoorPass>;
  connect: (
    pass: DoorPass,
    continueAt: { tab: string | null; snapshot: number },
    signal: AbortSignal,
  ) => Promise<AgentBrowser>;
  /** Pod that an earlier attempt worked in; a run never moves to another one. */
  podUid: string | null;
  /** Where the next connection continues. */
  continueAt: () => { tab: string | null; snapshot: number };
}): BrowserLink {
  let connected: AgentBrowser | null = null;
  let { podUid } = options;

  const connectOnce = async (signal: AbortSignal): Promise<AgentBrowser> => {
    const pass = await options.askDoor(signal);
    if (podUid !== null && pass.podUid !== podUid) {
      throw new SessionGoneError('The pod that the run worked in is gone.');
    }
    podUid = pass.podUid;
    return options.connect(pass, options.continueAt(), signal);
  };

  return {
    async browser(signal) {
      if (connected) return connected;
      let last: unknown;
      for (let round = 0; round < TRIES; round += 1) {
        try {
          connected = await connectOnce(signal);
          return connected;
        } catch (error) {
          signal.throwIfAborted();
          if (error instanceof SessionGoneError) throw error;
          last = error;
          await delay(FIRST_PAUSE_MS * 2 ** round, undefined, { signal });
        }
      }
      throw new BrowserLostError('the browser cannot be reached', { cause: last });
    },
    async drop() {
      const old = connected;
      connected = null;
      await old?.close().catch(() => {
        // It is being given up because it does not answer.
      });
    },
    podUid: () => podUid,
  };
}
