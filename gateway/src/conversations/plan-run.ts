import { ApiError } from '@podwright/api/errors';
import type { BrowserTenant } from '@podwright/api/kinds/tenant';
import type { ModelsFile } from '@podwright/api/models';
import { type MicroUsd, parseUsd } from '@podwright/api/money';
import type { CostLedger } from '../metering/cost-ledger.ts';
import { chooseModel } from './choose-model.ts';
import { runBudget } from './run-budget.ts';

/** A run that somebody wants, by whichever road: the API or a manifest. */
export interface WantedRun {
  tenant: BrowserTenant;
  requestedModel: string | null;
  /** What the caller allows as a whole, and what earlier runs of the same conversation spent of it. */
  askedMicroUsd: MicroUsd | null;
  spentBeforeMicroUsd: MicroUsd;
  /** Cap of the API key; null for manifests. */
  keyCapMicroUsd: MicroUsd | null;
}

/** What the tenant's rules make of it. */
export interface AllowedRun {
  /** Name of a configured model. */
  model: string;
  /** The least of all caps that apply; null when none is set. */
  maxCostMicroUsd: MicroUsd | null;
}

/**
 * Throws `forbidden` by policy, `invalid_request` for an unknown model, `payment_required` for a used-up budget.
 * Manifests and the API ask the same question, so that no road goes around a limit.
 */
export type PlanRun = (wanted: WantedRun) => Promise<AllowedRun>;

export function createPlanRun(options: { models: ModelsFile; ledger: CostLedger; now: () => number }): PlanRun {
  const { models, ledger, now } = options;
  const limit = (text: string | undefined): MicroUsd | null => (text === undefined ? null : parseUsd(text));
  return async ({ tenant, requestedModel, askedMicroUsd, spentBeforeMicroUsd, keyCapMicroUsd }) => {
    const { budgets, policy } = tenant.spec;
    // There is nobody to ask here, so asking first means no.
    if (policy?.startRun === 'Off' || policy?.startRun === 'AskFirst') {
      throw new ApiError('forbidden', 'The policy of this tenant does not let runs be started.');
    }
    const [perDay, perMonth] = [limit(budgets?.perDayUsd), limit(budgets?.perMonthUsd)];
    const spent = perDay === null && perMonth === null ? null : await ledger.spent(tenant.metadata.name, now());
    return {
      model: chooseModel(models, tenant, requestedModel),
      maxCostMicroUsd: runBudget({
        asked: askedMicroUsd,
        spentBefore: spentBeforeMicroUsd,
        keyCap: keyCapMicroUsd,
        perRun: limit(budgets?.perRunUsd),
        leftToday: perDay === null || !spent ? null : perDay - spent.today,
        leftThisMonth: perMonth === null || !spent ? null : perMonth - spent.thisMonth,
      }),
    };
  };
}
