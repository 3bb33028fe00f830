import { ApiError } from '@podwright/api/errors';
import type { BrowserSession } from '@podwright/api/kinds/session';
import type { ModelsFile } from '@podwright/api/models';
import { parseUsd } from '@podwright/api/money';
import type { RunRequest } from '@podwright/api/run';
import type { NewMessage } from '@podwright/runs/encoding';
import type { Caller } from '../identity/caller.ts';
import type { CostLedger } from '../metering/cost-ledger.ts';
import { chooseModel } from './choose-model.ts';
import type { Echo } from './echo.ts';
import { runBudget } from './run-budget.ts';

const DEFAULT_MAX_STEPS = 100;

/** What a run is made of before its browser is known. Everything that can be refused is refused here. */
export interface RunPlan {
  task: string;
  model: string;
  maxCostMicroUsd: number | null;
}

/** Makes run requests: the model resolved, the cap the least of all that apply. */
export interface RunFactory {
  /** Throws `invalid_request` for an unknown model, `payment_required` for a used-up budget, `forbidden` by policy. */
  plan(caller: Caller, task: string, requestedModel: string | null, echo: Echo): Promise<RunPlan>;
  request(
    plan: RunPlan,
    facts: { runId: string; conversationId: string; echo: Echo; session: BrowserSession; tenant: string },
  ): RunRequest;
}

export function createRunFactory(options: { models: ModelsFile; ledger: CostLedger; now: () => number }): RunFactory {
  const { models, ledger, now } = options;
  return {
    async plan(caller, task, requestedModel, echo) {
      const { budgets, policy } = caller.tenantObject.spec;
      // There is nobody to ask here, so asking first means no.
      if (policy?.startRun === 'Off' || policy?.startRun === 'AskFirst') {
        throw new ApiError('forbidden', 'The policy of this tenant does not let the API start runs.');
      }
      const limit = (text: string | undefined): number | null => (text === undefined ? null : parseUsd(text));
      const [perDay, perMonth] = [limit(budgets?.perDayUsd), limit(budgets?.perMonthUsd)];
      const spent = perDay === null && perMonth === null ? null : await ledger.spent(caller.tenant, now());
      return {
        task,
        model: chooseModel(models, caller.tenantObject, requestedModel),
        maxCostMicroUsd: runBudget({
          asked: echo.maxCostMicroUsd,
          spentBefore: echo.carried.modelMicroUsd,
          keyCap: caller.key.capMicroUsd,
          perRun: limit(budgets?.perRunUsd),
          leftToday: perDay === null || !spent ? null : perDay - spent.today,
          leftThisMonth: perMonth === null || !spent ? null : perMonth - spent.thisMonth,
        }),
      };
    },
    request(plan, { runId, conversationId, echo, session, tenant }) {
      return {
        runId,
        conversationId,
        tenant,
        sessionUid: session.metadata.uid,
        sessionName: session.metadata.name,
        namespace: session.metadata.namespace ?? '',
        task: plan.task,
        model: plan.model,
        outputSchema: echo.outputSchema,
        maxSteps: echo.maxSteps ?? DEFAULT_MAX_STEPS,
        maxCostMicroUsd: plan.maxCostMicroUsd,
        allowedOrigins: echo.allowedOrigins,
        createdAt: new Date(now()).toISOString(),
      };
    },
  };
}

/** The first message of a run: what was asked. */
export const taskMessage = (runId: string, task: string): NewMessage => ({
  runId,
  role: 'human',
  type: 'user_message',
  data: task,
  summary: task.slice(0, 200),
  screenshotRef: null,
  hidden: false,
});
