import { ApiError } from '@podwright/api/errors';
import type { BrowserSession } from '@podwright/api/kinds/session';
import type { RunRequest } from '@podwright/api/run';
import type { NewMessage } from '@podwright/runs/encoding';
import type { Caller } from '../identity/caller.ts';
import type { Echo } from './echo.ts';
import { outputSchemaProblem } from './output-schema.ts';
import type { PlanRun } from './plan-run.ts';

const DEFAULT_MAX_STEPS = 100;

/** What a run is made of before its browser is known. Everything that can be refused is refused here. */
export interface RunPlan {
  task: string;
  model: string;
  maxCostMicroUsd: number | null;
}

/** Makes run requests: the model resolved, the cap the least of all that apply. */
export interface RunFactory {
  /** Throws `invalid_request` for an unknown model or a wrong output schema, `payment_required` for a used-up budget, `forbidden` by policy. */
  plan(caller: Caller, task: string, requestedModel: string | null, echo: Echo): Promise<RunPlan>;
  request(
    plan: RunPlan,
    facts: { runId: string; conversationId: string; echo: Echo; session: BrowserSession; tenant: string },
  ): RunRequest;
}

export function createRunFactory(options: { planRun: PlanRun; now: () => number }): RunFactory {
  const { planRun, now } = options;
  return {
    async plan(caller, task, requestedModel, echo) {
      const problem = outputSchemaProblem(echo.outputSchema);
      if (problem !== null) throw new ApiError('invalid_request', problem);
      const allowed = await planRun({
        tenant: caller.tenantObject,
        requestedModel,
        askedMicroUsd: echo.maxCostMicroUsd,
        spentBeforeMicroUsd: echo.carried.modelMicroUsd,
        keyCapMicroUsd: caller.key.capMicroUsd,
      });
      return { task, ...allowed };
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
