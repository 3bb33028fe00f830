import { SESSION_REASONS } from '@podwright/api/conditions';
import type { BrowserSession } from '@podwright/api/kinds/session';
import { TERMINAL_RUN_STATES, type RunRecord } from '@podwright/api/run';
import { safeText } from '@podwright/api/safe-text';
import type { ViewerState } from '@podwright/api/v3/viewer';
import { isOpen, readyPodOf } from '../sessions/session-state.ts';

/** What the viewer page shows beside the screen. Pure; every text is safe to show. */
export function viewerState(session: BrowserSession | null, run: RunRecord | null): ViewerState {
  const status = session?.status;
  return {
    state: stateOf(session),
    reason: session === null ? 'The session is gone.' : reasonOf(session),
    queuePosition: status?.phase === 'Queued' ? (status.queuePosition ?? null) : null,
    expiresAt: status?.expiresAt ?? null,
    idleDeadline: status?.idleDeadline ?? null,
    run:
      run === null
        ? null
        : {
            goal: safeText(run.request.task, 300),
            state: run.state,
            steps: run.steps,
            lastStep: lastStepOf(run),
          },
  };
}

function stateOf(session: BrowserSession | null): ViewerState['state'] {
  if (session === null || !isOpen(session)) return 'ended';
  if (readyPodOf(session)) return 'live';
  return session.status?.phase === undefined || session.status.phase === 'Queued' ? 'queued' : 'starting';
}

/** The status' own words, else those of the reason; null when there is nothing to explain. */
function reasonOf(session: BrowserSession): string | null {
  const { message, reason } = session.status ?? {};
  const stop = session.spec.stop?.reason;
  if (stop !== undefined && stop in SESSION_REASONS) return SESSION_REASONS[stop];
  if (message !== undefined && message !== '') return safeText(message, 200);
  return reason !== undefined && reason in SESSION_REASONS
    ? SESSION_REASONS[reason as keyof typeof SESSION_REASONS]
    : null;
}

function lastStepOf(run: RunRecord): string | null {
  const text = TERMINAL_RUN_STATES.has(run.state) ? (run.failureMessage ?? run.lastStepSummary) : run.lastStepSummary;
  return text === null ? null : safeText(text, 200);
}
