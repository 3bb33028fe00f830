import type { BrowserSession } from '@podwright/api/kinds/session';
import type { Log } from '@podwright/kube/reflector';

/**
 * Keeps a wrong clock from ending everything. When the clock of this process is set, or when a good part of all sessions
 * would expire at once, nothing ends by time until the API server's clock has agreed twice.
 */
export interface ClockGuard {
  /** `late`: the session that is looked at should have ended a while ago. */
  isHeld(late: boolean): boolean;
  stop(): void;
}

/** What is this late was not simply waiting for its turn. */
const LATE_MS = 30_000;
const FEW_SESSIONS = 20;
const FEW_SHARE = 0.05;
/** Set by more than this, the clock has jumped; slewing and the rounding of dates are below it. */
const STEP_MS = 30_000;
/** Two clocks that differ by less agree: HTTP dates have seconds, and an answer takes a while. */
const AGREES_MS = 10_000;
const ASK_EVERY_MS = 15_000;
const AGREEMENTS = 2;

export const isLate = ({ status }: BrowserSession, now: number): boolean =>
  status?.expiresAt !== undefined && status.stoppingAt === undefined && now - Date.parse(status.expiresAt) > LATE_MS;

/** More sessions at once than time alone would end. */
export const isMass = (late: number, all: number): boolean => late > Math.max(FEW_SESSIONS, all * FEW_SHARE);

export function createClockGuard(options: {
  /** Sessions that have a place. */
  sessions: () => readonly BrowserSession[];
  /** Milliseconds since the epoch by the API server's clock. */
  serverTime: (signal: AbortSignal) => Promise<number>;
  /** Milliseconds that no one can set. */
  monotonic: () => number;
  now: () => number;
  pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Told how many sessions are held; 0 when none is any more. */
  onHeld: (sessions: number) => void;
  log: Log;
}): ClockGuard {
  const { now, monotonic, log } = options;
  const stopping = new AbortController();
  let offset = now() - monotonic();
  let held = false;
  /** The mass was looked into and is real: it may end. */
  let isReal = false;
  let counted = { at: Number.NEGATIVE_INFINITY, late: 0, all: 0 };

  function count(): { late: number; all: number } {
    if (monotonic() - counted.at < 1_000) return counted;
    const sessions = options.sessions();
    const late = sessions.filter((session) => isLate(session, now())).length;
    counted = { at: monotonic(), late, all: sessions.length };
    return counted;
  }

  /** Milliseconds by which the API server is ahead; undefined when it did not answer. */
  async function skew(): Promise<number | undefined> {
    try {
      return (await options.serverTime(stopping.signal)) - now();
    } catch (error) {
      log.warn({ err: error }, 'the API server could not be asked for the time');
      return undefined;
    }
  }

  async function hold(why: string): Promise<void> {
    held = true;
    for (let agreed = 0; agreed < AGREEMENTS;) {
      const { late } = count();
      options.onHeld(Math.max(1, late));
      const ahead = await skew();
      const agrees = ahead !== undefined && Math.abs(ahead) <= AGREES_MS;
      agreed = agrees ? agreed + 1 : 0;
      log.error({ why, sessions: late, aheadMs: ahead, agreed }, 'nothing ends by time until the clocks agree');
      await options.pause(ASK_EVERY_MS, stopping.signal);
    }
    held = false;
    isReal = true;
    offset = now() - monotonic();
    options.onHeld(0);
    log.info({ why }, 'the clocks agree');
  }
  const begin = (why: string): void => {
    hold(why).catch((error: unknown) => {
      if (!stopping.signal.aborted) log.error({ err: error }, 'the clock guard failed');
    });
  };

  return {
    isHeld(late) {
      if (held) return true;
      const moved = now() - monotonic() - offset;
      if (Math.abs(moved) > STEP_MS) begin(`the clock of this process was set by ${Math.round(moved / 1000)} s`);
      else if (late) {
        const { late: many, all } = count();
        if (!isMass(many, all)) isReal = false;
        else if (!isReal) begin(`${many} of ${all} sessions would expire at once`);
      }
      return held;
    },
    stop: () => stopping.abort(new Error('the clock guard was stopped')),
  };
}
