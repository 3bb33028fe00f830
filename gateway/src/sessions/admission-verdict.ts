import type { BrowserSession } from '@podwright/api/kinds/session';
import { isTerminal } from './session-state.ts';

/** What the operator said of a session that must start at once or not at all; undefined: nothing yet. */
export type Verdict = { admitted: true } | { admitted: false; message: string };

/** Reasons that mean "not now": for a create that does not want to wait, all of them are a no. */
const NOT_NOW = new Set(['TenantFull', 'PoolFull', 'QueueFull', 'QuotaExceeded', 'Refused', 'Waiting', 'TenantPaused']);

export function verdictOf(session: BrowserSession): Verdict | undefined {
  const admitted = session.status?.conditions?.find(({ type }) => type === 'Admitted');
  if (admitted?.status === 'True') return { admitted: true };
  if (admitted?.status === 'False' && NOT_NOW.has(admitted.reason)) {
    return { admitted: false, message: admitted.message };
  }
  if (session.status?.reason === 'Refused') return { admitted: false, message: session.status.message ?? '' };
  // It ended for another reason (an unknown pool, say): that is not a refusal, and its status tells why.
  return isTerminal(session) ? { admitted: true } : undefined;
}
