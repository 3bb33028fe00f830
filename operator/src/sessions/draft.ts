import type { SessionConditionType, SessionReason } from '@podwright/api/conditions';
import type { Phase } from '@podwright/api/kinds/session';
import type { Condition } from '@podwright/api/kinds/shared';
import { safeText } from '@podwright/api/safe-text';
import type { Effect } from './effects.ts';
import type { Observation, OperatorStatus } from './observation.ts';
import { ownStatus } from './worth-writing.ts';

/** A decision in the making: the next status, what is to be done, and when to look again. */
export interface Draft {
  status: OperatorStatus;
  effects: Effect[];
  /** Earliest instant at which anything changes by time alone. */
  at: number | undefined;
  /** Status is to be seen before the effects: doors shut first, the last word before the object goes. */
  statusFirst: boolean;
}
export type Plan = Readonly<Draft>;

export function startDraft({ session }: Observation): Draft {
  const own = ownStatus(session.status);
  return {
    status: {
      ...own,
      conditions: [...(own.conditions ?? [])],
      ...(session.metadata.generation !== undefined && { observedGeneration: session.metadata.generation }),
    },
    effects: [],
    at: undefined,
    statusFirst: false,
  };
}

export function setPhase(draft: Draft, phase: Phase, reason: SessionReason, message: string): void {
  Object.assign(draft.status, { phase, reason, message: safeText(message, 600) });
}

/** Sets a condition; the transition time moves only when the status does. */
export function setCondition(
  draft: Draft,
  now: number,
  type: SessionConditionType,
  status: Condition['status'],
  reason: SessionReason,
  message = '',
): void {
  const conditions = draft.status.conditions!;
  const index = conditions.findIndex((condition) => condition.type === type);
  const previous = conditions[index];
  const generation = draft.status.observedGeneration;
  const next: Condition = {
    type,
    status,
    reason,
    message: safeText(message, 600),
    lastTransitionTime: previous?.status === status ? previous.lastTransitionTime : instant(now),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
  if (index === -1) conditions.push(next);
  else conditions[index] = next;
}

export const conditionOf = (status: OperatorStatus | undefined, type: SessionConditionType): Condition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

export const isTrue = (status: OperatorStatus | undefined, type: SessionConditionType): boolean =>
  conditionOf(status, type)?.status === 'True';

/** Looks again at `at` at the latest. */
export function lookAgain(draft: Draft, at: number): void {
  draft.at = draft.at === undefined ? at : Math.min(draft.at, at);
}

export const instant = (milliseconds: number): string => new Date(milliseconds).toISOString();
