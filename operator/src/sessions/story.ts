import { TERMINAL_PHASES } from '@podwright/api/kinds/session';
import type { EventFacts } from '@podwright/kube/event-recorder';
import { conditionOf, isTrue } from './draft.ts';
import type { OperatorStatus } from './observation.ts';

/**
 * The events that lead from one status to the next, as `kubectl describe` tells them. Made from what was written, so a
 * pass that is repeated tells nothing twice.
 */
export function story(before: OperatorStatus | undefined, after: OperatorStatus): EventFacts[] {
  const events: EventFacts[] = [];
  const normal = (reason: string, action: string, note: string): number =>
    events.push({ type: 'Normal', reason, action, note });
  const warning = (reason: string, action: string, note: string): number =>
    events.push({ type: 'Warning', reason, action, note });
  const changedPhase = before?.phase !== after.phase;
  const reason = after.reason ?? 'NotReady';
  const message = after.message ?? '';

  if (after.phase === 'Queued' && (changedPhase || before?.reason !== after.reason)) {
    const place = after.queuePosition === undefined ? '' : ` (place ${after.queuePosition})`;
    normal(reason, 'Admit', `${message}${place}`);
  }
  if (isTrue(after, 'PodAssigned') && !isTrue(before, 'PodAssigned')) {
    const { reason: how, message: words } = conditionOf(after, 'PodAssigned')!;
    normal(how, 'Assign', words);
  }
  if (after.phase === 'Starting' && before?.reason !== after.reason && troubling.has(reason)) {
    warning(reason, 'Start', message);
  }
  if (isTrue(after, 'Ready') && !isTrue(before, 'Ready')) normal('Ready', 'Bind', readyWords(after));
  if (
    before?.readyAt !== undefined &&
    isTrue(before, 'Ready') &&
    !isTrue(after, 'Ready') &&
    after.stoppingAt === undefined
  ) {
    warning('NotReady', 'Watch', message);
  }
  if (isTrue(after, 'NodeDraining') && !isTrue(before, 'NodeDraining')) {
    warning('NodeDraining', 'Drain', conditionOf(after, 'NodeDraining')!.message);
  }
  if (after.phase === 'Stopping' && changedPhase) normal(reason, 'Stop', message);
  if (changedPhase && after.phase !== undefined && TERMINAL_PHASES.has(after.phase)) {
    const note = `${after.phase}: ${message}`;
    if (after.phase === 'Failed') warning(reason, 'End', note);
    else normal(reason, 'End', note);
  }
  return events;
}

const troubling = new Set(['QuotaExceeded', 'Unschedulable', 'ImagePullFailed', 'ProfileInUse', 'BindRefused']);

function readyWords({ start, startedAt, readyAt, nodeName, expiresAt }: OperatorStatus): string {
  const took = Date.parse(readyAt ?? '') - Date.parse(startedAt ?? '');
  return `ready on node ${nodeName ?? '?'} after a ${start ?? '?'} start of ${took} ms; ends at ${expiresAt ?? '?'} at the latest`;
}
