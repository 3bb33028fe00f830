import { ApiError, type ErrorCode } from '@podwright/api/errors';
import type { BrowserSession } from '@podwright/api/kinds/session';
import type { BrowserTenant } from '@podwright/api/kinds/tenant';
import { parseUsd } from '@podwright/api/money';
import { ANNOTATION } from '@podwright/api/names';
import type { Conversation, FailureKind, RunRequest } from '@podwright/api/run';
import { safeText } from '@podwright/api/safe-text';
import { V3_NEUTRAL_MODEL } from '@podwright/api/v3/models';
import { createHash } from 'node:crypto';
import type { Attempts } from '@podwright/runs/attempts';
import type { Conversations } from '@podwright/runs/conversations';
import type { WaitingLine } from '@podwright/runs/waiting-line';
import { type Echo, echoOf } from '../conversations/echo.ts';
import { outputSchemaProblem } from '../conversations/output-schema.ts';
import type { AllowedRun, PlanRun } from '../conversations/plan-run.ts';
import { taskMessage } from '../conversations/run-factory.ts';
import { uuidFrom } from '../sessions/idempotency.ts';

const DEFAULT_MAX_STEPS = 100;

/** Makes the `task` of a manifest a conversation (its id is the UID of the session) and a run, once. */
export interface ManifestTasks {
  /** Writes what is missing. Returns false when this session has no task of its own. */
  ensure(session: BrowserSession, tenant: BrowserTenant): Promise<boolean>;
}

/** True for a session whose task came with its manifest. */
export const hasOwnTask = (session: BrowserSession): boolean =>
  session.spec.task !== undefined && session.metadata.annotations?.[ANNOTATION.origin] === undefined;

export function createManifestTasks(options: {
  conversations: Conversations;
  attempts: Attempts;
  waitingLine: WaitingLine;
  planRun: PlanRun;
  onWaiting: (tenant: string) => void;
  now: () => number;
}): ManifestTasks {
  const { conversations, attempts, waitingLine, planRun, onWaiting, now } = options;

  return {
    async ensure(session, tenant) {
      const { task } = session.spec;
      if (!task || !hasOwnTask(session)) return false;
      const { uid } = session.metadata;
      const known = session.status?.run;
      const runId = known?.id ?? uuidFrom(createHash('sha256').update(`task ${uid}`).digest('hex'));
      const verdict = await planOrRefusal(planRun, session, tenant);
      const request = requestOf(session, tenant, runId, verdict);
      const created = await conversations.create(conversationOf(session, tenant, runId, now()), request, [
        taskMessage(runId, task.instructions),
      ]);
      if (!created) return true;
      // Status remembers a run that the record does not: what it did is not known, so it is not done again.
      if (known !== undefined) {
        await settle(uid, runId, 'state_lost', 'The record of this run was lost.');
      } else if (verdict.refusal !== null) {
        await settle(uid, runId, verdict.refusal.failureKind, verdict.refusal.message);
      } else {
        await waitingLine.add(tenant.metadata.name, runId, now());
        onWaiting(tenant.metadata.name);
      }
      return true;
    },
  };

  async function settle(uid: string, runId: string, failureKind: FailureKind, why: string): Promise<void> {
    const endedAt = new Date(now()).toISOString();
    await attempts.settle(
      { conversationId: uid, runId },
      { state: 'failed', success: false, failureKind, failureMessage: why, endedAt },
    );
  }
}

interface Verdict extends AllowedRun {
  /** Why the run may not start; its record says so, since a manifest has nobody to answer to. */
  refusal: { failureKind: FailureKind; message: string } | null;
}

/** What each refusal of the API is called in the record of a run. */
const REFUSED_AS: Partial<Record<ErrorCode, FailureKind>> = {
  invalid_request: 'unknown_model',
  payment_required: 'budget_exceeded',
  forbidden: 'not_allowed',
};

async function planOrRefusal(planRun: PlanRun, session: BrowserSession, tenant: BrowserTenant): Promise<Verdict> {
  const { task } = session.spec;
  const problem = outputSchemaProblem(task?.outputSchema);
  if (problem !== null) {
    const refusal = { failureKind: 'output_invalid', message: problem } as const;
    return { model: task?.model ?? '', maxCostMicroUsd: 0, refusal };
  }
  try {
    const allowed = await planRun({
      tenant,
      requestedModel: task?.model ?? null,
      askedMicroUsd: task?.maxCostUsd === undefined ? null : parseUsd(task.maxCostUsd),
      spentBeforeMicroUsd: 0,
      keyCapMicroUsd: null,
    });
    return { ...allowed, refusal: null };
  } catch (error) {
    const failureKind = error instanceof ApiError ? REFUSED_AS[error.code] : undefined;
    if (failureKind === undefined) throw error;
    return {
      model: task?.model ?? '',
      maxCostMicroUsd: 0,
      refusal: { failureKind, message: (error as Error).message },
    };
  }
}

function conversationOf(session: BrowserSession, tenant: BrowserTenant, runId: string, now: number): Conversation {
  const { uid, name, namespace = '' } = session.metadata;
  const { task, viewport, lifetime } = session.spec;
  const echo: Echo = {
    ...echoOf({ outputSchema: task?.outputSchema ?? null }),
    browserScreenWidth: viewport?.width ?? null,
    browserScreenHeight: viewport?.height ?? null,
    maxCostMicroUsd: task?.maxCostUsd === undefined ? null : parseUsd(task.maxCostUsd),
  };
  const stamp = new Date(now).toISOString();
  return {
    id: uid,
    tenant: tenant.metadata.name,
    grant: 'manifest',
    namespace,
    sessionUid: uid,
    sessionName: name,
    currentRunId: runId,
    modelAlias: task?.model ?? V3_NEUTRAL_MODEL,
    keepAlive: lifetime?.keepAlive ?? false,
    title: safeText(task?.instructions ?? name, 80),
    deletedAt: null,
    createdAt: stamp,
    updatedAt: stamp,
    echo: { ...echo },
    stoppedAt: null,
  };
}

function requestOf(session: BrowserSession, tenant: BrowserTenant, runId: string, allowed: AllowedRun): RunRequest {
  const { task } = session.spec;
  return {
    runId,
    conversationId: session.metadata.uid,
    tenant: tenant.metadata.name,
    sessionUid: session.metadata.uid,
    sessionName: session.metadata.name,
    namespace: session.metadata.namespace ?? '',
    task: task?.instructions ?? '',
    model: allowed.model,
    outputSchema: task?.outputSchema ?? null,
    maxSteps: task?.maxSteps ?? DEFAULT_MAX_STEPS,
    maxCostMicroUsd: allowed.maxCostMicroUsd,
    allowedOrigins: task?.allowedOrigins === undefined ? null : [...task.allowedOrigins],
    createdAt: session.metadata.creationTimestamp,
  };
}
