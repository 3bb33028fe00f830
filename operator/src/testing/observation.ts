import type { BrowserSession, BrowserSessionStatus } from '@podwright/api/kinds/session';
import { FINALIZER } from '@podwright/api/names';
import type { Plan } from '../sessions/draft.ts';
import type { Observation } from '../sessions/observation.ts';
import { at, condition, pool, session, tenant, time } from './objects.ts';

/** Observations of session `s` for tables: ten seconds after its creation, admitted, without a pod. */
export const observe = (over: Partial<Observation> = {}): Observation => ({
  now: at(10),
  session: session(),
  tenant: tenant(),
  pool: pool(),
  poolOffence: undefined,
  profile: undefined,
  profileHolder: 'none',
  pods: [],
  node: undefined,
  nodeGone: false,
  warmPods: 0,
  verdict: { state: 'admitted' },
  secrets: { state: 'fine' },
  createsPaused: undefined,
  namespaceTerminating: false,
  clockHeld: false,
  memory: {},
  ...over,
});

/** The effects of a plan, by name. */
export const done = (plan: Plan): string[] => plan.effects.map((effect) => effect.do);
export const conditionOf = (plan: Plan, type: string) => plan.status.conditions?.find((one) => one.type === type);
/** What a row of a table compares. */
export const brief = (plan: Plan): Record<string, unknown> => ({
  phase: plan.status.phase,
  reason: plan.status.reason,
  effects: done(plan),
});

/** Statuses along the life of a session. */
export const admitted: BrowserSessionStatus = {
  phase: 'Starting',
  tenant: 't',
  poolName: 'default',
  conditions: [condition('Admitted', 'True', 'Admitted', 5)],
};
export const assigned: BrowserSessionStatus = {
  ...admitted,
  podName: 'bs-uid-s',
  podUID: 'uid-bs-uid-s',
  startedAt: time(6),
  expiresAt: time(3606),
};
export const live: BrowserSessionStatus = {
  ...assigned,
  phase: 'Ready',
  reason: 'Ready',
  readyAt: time(8),
  conditions: [
    ...admitted.conditions!,
    condition('PodAssigned', 'True', 'CreatedCold', 6),
    condition('BrowserReady', 'True', 'BrowserAnswered', 8),
    condition('Ready', 'True', 'Ready', 8),
  ],
};
/** A session that holds something. */
export const kept = { metadata: { finalizers: [FINALIZER] } };
export const liveSession = (
  spec: BrowserSession['spec'] = {},
  status: Partial<BrowserSessionStatus> = {},
): BrowserSession => session({ ...kept, spec, status: { ...live, ...status } });
