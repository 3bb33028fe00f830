import { type BrowserSession, type BrowserSessionStatus, LIVE_PHASES } from '@podwright/api/kinds/session';
import { type MicroUsd, formatUsd } from '@podwright/api/money';
import { type FailureKind, type RunRecord, TERMINAL_RUN_STATES } from '@podwright/api/run';
import { safeText } from '@podwright/api/safe-text';
import type { ConversationView } from '@podwright/runs/conversations';
import { isOpen, isTerminal } from '../sessions/session-state.ts';

/** Everything about one session that the settler looks at. */
export interface SettleFacts {
  session: BrowserSession;
  view: ConversationView | null;
  /** Present cost of the browser, and what earlier runs of the conversation cost. */
  browserMicroUsd: MicroUsd;
  earlierModelMicroUsd: MicroUsd;
  /** Whether the run's job is in the queue, and whether its worker shows signs of life; null when nobody had to ask. */
  job: { queued: boolean; alive: boolean } | null;
  /** When status was last written by this process; 0: never. */
  writtenAt: number;
  now: number;
}

/** What the settler does about it; every part is safe to repeat. */
export interface SettlePlan {
  /** Ends a run whose browser has ended. */
  failRun: { failureKind: FailureKind; failureMessage: string } | null;
  /** Ends a browser whose task has ended, or whose stop was asked for and got lost on its way. */
  stop: 'TaskFinished' | 'Asked' | null;
  /** Puts a run back that fell out of the queue. */
  requeue: boolean;
  /** Puts a run that waits into its tenant's line: a replica that ended right after writing the run had not done so. */
  joinLine: boolean;
  /** Takes a run that has ended out of its tenant's line. */
  leaveLine: boolean;
  /** Shuts the doors for good and writes down how it ended. */
  close: boolean;
  status: Pick<BrowserSessionStatus, 'run' | 'cost'> | null;
  /** Look again at this instant, in milliseconds since the epoch. */
  again: number | null;
}

/** How long an agent may take to notice that its browser has ended and to say so better than the settler can. */
const AGENT_WORD_MS = 8_000;
/** Between two writers of a run there may be a moment in which nobody has it. */
const HANDOVER_MS = 5_000;
const STEPS_MS = 60_000;
const COST_MS = 300_000;
/** While a run is on its way it is looked at this often, for what no event told. */
const LOOK_MS = 3_000;

export function decideSettle(facts: SettleFacts): SettlePlan {
  const { session, view, now } = facts;
  const run = currentRun(facts);
  const runEnded = run !== null && TERMINAL_RUN_STATES.has(run.state);
  const open = isOpen(session);
  const failRun = run !== null && !runEnded && !open ? failureOf(session, run, now) : null;
  const onItsWay = run !== null && !runEnded && open && run.state !== 'waiting';
  const keepAlive = view?.conversation.keepAlive ?? session.spec.lifetime?.keepAlive ?? false;
  const status = statusOf(facts, run);
  const nextLook = (): number | null => {
    if (failRun === 'soon' || onItsWay) return now + LOOK_MS;
    if (failRun !== null) return now;
    return open ? now + COST_MS : null;
  };
  return {
    failRun: failRun === 'soon' ? null : failRun,
    stop: open ? stopReason(facts, runEnded && !keepAlive) : null,
    requeue: onItsWay && isAbandoned(facts, run),
    joinLine: run?.state === 'waiting' && open,
    leaveLine: runEnded,
    // How it ended is written down once its run is settled too.
    close: isTerminal(session) && failRun !== 'soon' && (status !== null || !isClosed(facts)),
    status,
    again: nextLook(),
  };
}

/** The run of this very browser; a conversation may have moved on to another one. */
export function currentRun({ session, view }: Pick<SettleFacts, 'session' | 'view'>): RunRecord | null {
  return view?.run?.request.sessionUid === session.metadata.uid ? view.run : null;
}

function stopReason({ session, view }: SettleFacts, finished: boolean): SettlePlan['stop'] {
  const { conversation } = view ?? {};
  if (conversation?.sessionUid !== session.metadata.uid) return null;
  if (conversation.stoppedAt !== null) return 'Asked';
  return finished ? 'TaskFinished' : null;
}

function isClosed({ session, view }: SettleFacts): boolean {
  const ended = view?.conversation.echo['ended'] as { sessionUid?: string } | null | undefined;
  return view === null ? session.status?.cost !== undefined : ended?.sessionUid === session.metadata.uid;
}

/** Neither in the queue nor at work, and not just on its way from one to the other. */
function isAbandoned({ job, now }: SettleFacts, run: RunRecord): boolean {
  return job !== null && !job.queued && !job.alive && now - Date.parse(run.updatedAt) > HANDOVER_MS;
}

/** `soon`: the agent has the first word. */
function failureOf(session: BrowserSession, run: RunRecord, now: number): SettlePlan['failRun'] | 'soon' {
  const { phase, reason, message, stoppingAt, endedAt } = session.status ?? {};
  const since = stoppingAt ?? endedAt ?? session.spec.stop?.at;
  const working = run.state === 'running' || run.state === 'paused';
  if (working && since !== undefined && now - Date.parse(since) < AGENT_WORD_MS) return 'soon';
  const crashed = reason === 'BrowserCrashed' || reason === 'OOMKilled';
  return {
    failureKind: crashed ? 'browser_crashed' : 'session_gone',
    failureMessage: safeText(message ?? `The browser session ended (${reason ?? phase ?? 'stopped'}).`),
  };
}

/** The block of status that is written now; null when what stands there is good enough. */
function statusOf(facts: SettleFacts, run: RunRecord | null): SettlePlan['status'] {
  const { session, now, writtenAt } = facts;
  const before = session.status ?? {};
  if (before.phase === undefined) return null;
  const model = facts.earlierModelMicroUsd + (run?.modelCostMicroUsd ?? 0);
  const next = {
    ...(run ? { run: runStatus(run) } : before.run ? { run: before.run } : {}),
    cost: {
      browserUsd: formatUsd(facts.browserMicroUsd),
      modelUsd: formatUsd(model),
      egressUsd: formatUsd(0),
      totalUsd: formatUsd(facts.browserMicroUsd + model),
    },
  };
  const stateChanged = next.run?.state !== before.run?.state || next.run?.id !== before.run?.id;
  if (stateChanged) return next;
  if (next.cost.totalUsd === before.cost?.totalUsd && next.run?.steps === before.run?.steps) return null;
  // What is final is written at once; what still moves, now and then.
  if (isTerminal(session) || (before.phase === 'Stopping' && before.stoppingAt !== undefined)) return next;
  if (!LIVE_PHASES.has(before.phase)) return null;
  const age = now - writtenAt;
  const stepped = next.run?.steps !== before.run?.steps;
  return age >= (stepped ? STEPS_MS : COST_MS) && before.startedAt !== undefined ? next : null;
}

function runStatus(run: RunRecord): NonNullable<BrowserSessionStatus['run']> {
  const { runId, conversationId } = run.request;
  const summary = run.failureMessage ?? run.lastStepSummary;
  return {
    id: runId,
    state: run.state === 'waiting' ? 'queued' : run.state,
    steps: run.steps,
    ...(summary === null ? {} : { summary: safeText(summary, 500) }),
    ...(TERMINAL_RUN_STATES.has(run.state) ? { outputRef: `/api/v3/sessions/${conversationId}` } : {}),
    ...(run.failureKind === null ? {} : { failureKind: run.failureKind }),
  };
}
