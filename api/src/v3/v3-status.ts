import { LIVE_PHASES, type Phase } from '../kinds/session.ts';
import { type Conversation, type FailureKind, type RunRecord, type RunState, TERMINAL_RUN_STATES } from '../run.ts';
import type { V3Status } from './sessions.ts';

/**
 * The status of an agent session of the v3 API. Clients take `idle`, `stopped`, `timed_out` and `error` as the end of
 * what they wait for and read the output from that very answer, so a session must never show one of them before its
 * run has ended, and never another one afterwards.
 *
 * Precedence, first match wins:
 *
 * | # | when | status |
 * | 1 | the API was asked to stop it | stopped |
 * | 2 | its run ended by itself and keepAlive is off | stopped |
 * | 3 | the browser ended or is ending, and no run is left to settle | timed_out, error or stopped, by phase and reason |
 * | 4 | its run lost the browser and keepAlive is off | error |
 * | 5 | its run waits | created |
 * | 6 | its run is worked on or paused | running |
 * | 7 | its run ended and keepAlive is on | idle |
 * | 8 | no run, the browser answers | idle |
 * | 9 | no run, the browser is not there yet | created |
 */
export interface V3StatusInput {
  conversation: Pick<Conversation, 'keepAlive' | 'stoppedAt'>;
  run: Pick<RunRecord, 'state' | 'failureKind'> | null;
  browser: BrowserPhase;
}

export interface BrowserPhase {
  /** `Gone`: the object was deleted. null: the operator has not looked at it yet. */
  phase: Phase | 'Gone' | null;
  reason: string | null;
  /** `spec.stop` is set: it cannot be taken back, whatever the phase still says. */
  stopAsked: boolean;
}

/** Failures by which a run reports the end of its browser; the browser's own end says more. */
const BROWSER_LOST: ReadonlySet<FailureKind> = new Set(['session_gone', 'browser_crashed', 'state_lost']);

/** What a run says of its session while the browser lives and, once it ended, keepAlive is on. */
const RUN_SAYS: Record<RunState, V3Status> = {
  waiting: 'created',
  queued: 'created',
  running: 'running',
  paused: 'running',
  succeeded: 'idle',
  failed: 'idle',
  cancelled: 'idle',
};

const PHASE_SAYS: Partial<Record<Phase | 'Gone', V3Status>> = {
  TimedOut: 'timed_out',
  Failed: 'error',
  Stopped: 'stopped',
  Gone: 'stopped',
};

export function v3Status({ conversation, run, browser }: V3StatusInput): V3Status {
  if (conversation.stoppedAt !== null) return 'stopped';

  const runEnded = run !== null && TERMINAL_RUN_STATES.has(run.state);
  const lostBrowser = runEnded && run.failureKind !== null && BROWSER_LOST.has(run.failureKind);
  if (runEnded && !lostBrowser && !conversation.keepAlive) return 'stopped';

  // A run that lost its browser is settled within seconds; until then its answer is not there to be read.
  const ending = run === null || runEnded ? endOfBrowser(browser) : null;
  if (ending !== null) return ending;
  if (lostBrowser && !conversation.keepAlive) return 'error';

  if (run) return RUN_SAYS[run.state];
  return browser.phase !== null && browser.phase !== 'Gone' && LIVE_PHASES.has(browser.phase) ? 'idle' : 'created';
}

/** The terminal status a browser's phase stands for; null while it lives or starts. */
export function endOfBrowser({ phase, reason, stopAsked }: BrowserPhase): V3Status | null {
  if (phase === 'Stopping') return reason === 'Expired' ? 'timed_out' : 'stopped';
  const said = phase === null ? undefined : PHASE_SAYS[phase];
  return said ?? (stopAsked ? 'stopped' : null);
}
