import type { Pod } from '@podwright/kube/objects';
import type { Failure } from '../pods/pod-failure.ts';
import { isCordoned } from '../pods/pod-state.ts';
import { type Draft, instant, isTrue, lookAgain, setCondition } from './draft.ts';
import { drainTimeoutMs } from './limits.ts';
import type { Observation } from './observation.ts';

/**
 * A cordoned node is about to be emptied. Its sessions are told until when they may go on; the instant is kept in status,
 * so that it does not move when the operator is replaced.
 */
export function tellDrain(draft: Draft, { session, pool, node, now }: Observation, pod: Pod): void {
  const { status } = draft;
  if (!isCordoned(node)) {
    if (!isTrue(session.status, 'NodeDraining')) return;
    delete status.drainDeadline;
    setCondition(draft, now, 'NodeDraining', 'False', 'NodeUncordoned', `node ${pod.spec.nodeName} takes work again`);
    return;
  }
  status.drainDeadline ??= instant(now + drainTimeoutMs(pool));
  const words = `node ${pod.spec.nodeName} is cordoned; the session is saved and stopped at ${status.drainDeadline}`;
  setCondition(draft, now, 'NodeDraining', 'True', 'NodeDraining', words);
  lookAgain(draft, Date.parse(status.drainDeadline));
}

/** The end of a session that was told so and whose node is still cordoned. */
export function drainOver({ session, node, now, clockHeld }: Observation): Failure | undefined {
  const { drainDeadline, nodeName } = session.status ?? {};
  if (drainDeadline === undefined || clockHeld || !isCordoned(node) || now < Date.parse(drainDeadline))
    return undefined;
  return { reason: 'NodeDraining', message: `node ${nodeName} is being drained, and drainTimeout of the pool is over` };
}
