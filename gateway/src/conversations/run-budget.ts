import { ApiError } from '@podwright/api/errors';
import { type MicroUsd, formatUsd } from '@podwright/api/money';

/** Everything that may bound what a run spends, in micro-USD; null where nothing is set. */
export interface BudgetFacts {
  /** What the caller allows the conversation as a whole, and what its earlier runs spent. */
  asked: MicroUsd | null;
  spentBefore: MicroUsd;
  keyCap: MicroUsd | null;
  perRun: MicroUsd | null;
  /** What is left of the tenant's hard budgets. */
  leftToday: MicroUsd | null;
  leftThisMonth: MicroUsd | null;
}

/**
 * The cap of a run: the least of all that apply; null when none is set, because none is invented.
 * Throws `payment_required` when a budget is used up.
 */
export function runBudget(facts: BudgetFacts): MicroUsd | null {
  const left = facts.asked === null ? null : facts.asked - facts.spentBefore;
  if (left !== null && left <= 0) {
    throw new ApiError(
      'payment_required',
      `The budget of this session (${formatUsd(facts.asked ?? 0)} USD) is used up.`,
    );
  }
  if (facts.leftToday !== null && facts.leftToday <= 0) {
    throw new ApiError('payment_required', 'The daily budget of this tenant is used up.');
  }
  if (facts.leftThisMonth !== null && facts.leftThisMonth <= 0) {
    throw new ApiError('payment_required', 'The monthly budget of this tenant is used up.');
  }
  const limits = [left, facts.keyCap, facts.perRun, facts.leftToday, facts.leftThisMonth].filter(
    (limit): limit is MicroUsd => limit !== null,
  );
  return limits.length === 0 ? null : Math.min(...limits);
}
