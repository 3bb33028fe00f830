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
    continueAt: { tab: string | null; snapshot: number; notices: string[] },
    signal: AbortSignal,
  ) => Promise<AgentBrowser>;
  /** Brings pages back that would keep a connection from being made; says what it did. */
  revive: (pass: DoorPass, signal: AbortSignal) => Promise<string[]>;
  /** Pod that an earlier attempt worked in; a run never moves to another one. */
  podUid: string | null;
  /** Where the next connection continues. */
  continueAt: () => { tab: string | null; snapshot: number };
}): BrowserLink {
  let connected: AgentBrowser | null = null;
  let { podUid } = options;

  const askForPass = async (signal: AbortSignal): Promise<DoorPass> => {
    const pass = await options.askDoor(signal);
    if (podUid !== null && pass.podUid !== podUid) {
      throw new SessionGoneError('The pod that the run worked in is gone.');
    }
    podUid = pass.podUid;
    return pass;
  };
  const connectOnce = async (isFirst: boolean, signal: AbortSignal): Promise<AgentBrowser> => {
    const continueAt = options.continueAt();
    // A fresh browser needs no care; one that was left in the middle of something may.
    const isFresh = isFirst && continueAt.tab === null;
    const notices = isFresh ? [] : await options.revive(await askForPass(signal), signal);
    return options.connect(await askForPass(signal), { ...continueAt, notices }, signal);
  };

  return {
    async browser(signal) {
      if (connected) return connected;
      let last: unknown;
      for (let round = 0; round < TRIES; round += 1) {
        try {
          connected = await connectOnce(round === 0, signal);
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
