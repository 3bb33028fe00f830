import type { BrowserSessionStatus } from '@podwright/api/kinds/session';
import { canonicalJson } from '../canonical-json.ts';
import type { OperatorStatus } from './observation.ts';

/**
 * Whether `after` says something that `before` does not. While a pod is on its way, a new message under the same reason,
 * its address and its node are no news: they are written with the next change that is, and save a write per step of the kubelet.
 */
export function isWorthWriting(before: OperatorStatus | undefined, after: OperatorStatus): boolean {
  const quiet = before?.phase === 'Starting' && after.phase === 'Starting' && before.podUID === after.podUID;
  return essence(before, quiet) !== essence(after, quiet);
}

/** The operator's own part of a status: what it may find changed only by an answer of its own that was lost. */
export function ownStatus(status: BrowserSessionStatus | undefined): OperatorStatus {
  const { run: _r, cost: _c, lastActiveAt: _l, idleDeadline: _i, ...own } = status ?? {};
  return own;
}

/** Whether two statuses say the same in the operator's part. */
export const saysTheSame = (a: BrowserSessionStatus | undefined, b: BrowserSessionStatus | undefined): boolean =>
  a === b || canonicalJson(ownStatus(a)) === canonicalJson(ownStatus(b));

function essence(status: OperatorStatus | undefined, quiet: boolean): string {
  const own = ownStatus(status);
  const conditions = (status?.conditions ?? []).map((condition) => ({
    ...condition,
    ...(quiet && { message: undefined, observedGeneration: undefined }),
  }));
  const volatile = { message: undefined, nodeName: undefined, podIP: undefined, observedGeneration: undefined };
  return canonicalJson({ ...own, ...(quiet && volatile), conditions });
}
