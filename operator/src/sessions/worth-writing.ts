import type { OperatorStatus } from './observation.ts';

/**
 * Whether `after` says something that `before` does not. While a pod is on its way, a new message under the same reason,
 * its address and its node are no news: they are written with the next change that is, and save a write per step of the kubelet.
 */
export function isWorthWriting(before: OperatorStatus | undefined, after: OperatorStatus): boolean {
  const quiet = before?.phase === 'Starting' && after.phase === 'Starting' && before.podUID === after.podUID;
  return essence(before, quiet) !== essence(after, quiet);
}

function essence(status: OperatorStatus | undefined, quiet: boolean): string {
  const { run: _r, cost: _c, lastActiveAt: _l, idleDeadline: _i, ...own } = (status ?? {}) as Record<string, unknown>;
  const conditions = (status?.conditions ?? []).map((condition) => ({
    ...condition,
    ...(quiet && { message: undefined, observedGeneration: undefined }),
  }));
  const volatile = { message: undefined, nodeName: undefined, podIP: undefined, observedGeneration: undefined };
  return canonical({ ...own, ...(quiet && volatile), conditions });
}

/** JSON with sorted keys: the order of fields that came from the server says nothing. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
