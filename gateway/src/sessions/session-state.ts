import { type BrowserSession, LIVE_PHASES, TERMINAL_PHASES } from '@podwright/api/kinds/session';
import type { BrowserPhase } from '@podwright/api/v3/v3-status';
import { CLOSE } from '@podwright/api/pod-door';
import { PORT } from '@podwright/api/names';

/** Small readings of a BrowserSession that several parts of the gateway share. All pure. */

/** What the v3 status is computed from; null is an object that is gone. */
export function browserPhaseOf(session: BrowserSession | null): BrowserPhase {
  if (session === null) return { phase: 'Gone', reason: null, stopAsked: false };
  return {
    phase: session.metadata.deletionTimestamp === undefined ? (session.status?.phase ?? null) : 'Stopping',
    reason: session.status?.reason ?? null,
    stopAsked: session.spec.stop !== undefined,
  };
}

/** False as soon as its end is certain: doors are shut and nothing new starts in it. */
export function isOpen(session: BrowserSession): boolean {
  const phase = session.status?.phase;
  if (session.spec.stop !== undefined || session.metadata.deletionTimestamp !== undefined) return false;
  return phase === undefined || (phase !== 'Stopping' && !TERMINAL_PHASES.has(phase));
}

export const isTerminal = (session: BrowserSession): boolean =>
  session.status?.phase !== undefined && TERMINAL_PHASES.has(session.status.phase);

/** The pod of a session that answers now. */
export interface ReadyPod {
  /** `http://<pod ip>:9000`. */
  doorUrl: string;
  ip: string;
  podUid: string;
}

/** Null while there is no pod that answers. */
export function readyPodOf(session: BrowserSession): ReadyPod | null {
  const { phase, podIP, podUID } = session.status ?? {};
  if (!isOpen(session) || phase === undefined || !LIVE_PHASES.has(phase)) return null;
  if (podIP === undefined || podUID === undefined) return null;
  const host = podIP.includes(':') ? `[${podIP}]` : podIP;
  return { doorUrl: `http://${host}:${PORT.podDoor}`, ip: podIP, podUid: podUID };
}

/** What a client is told when the session it is connected to ends. */
export function closeReasonOf(session: BrowserSession): { code: number; reason: string } {
  if (session.spec.stop?.reason === 'Idle') return CLOSE.idle;
  const { phase, reason } = session.status ?? {};
  return phase === 'TimedOut' || reason === 'Expired' ? CLOSE.expired : CLOSE.ended;
}
