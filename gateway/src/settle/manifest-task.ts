import type { BrowserSession } from '@podwright/api/kinds/session';
import type { BrowserTenant } from '@podwright/api/kinds/tenant';
import type { ModelsFile } from '@podwright/api/models';
import { parseUsd } from '@podwright/api/money';
import { ANNOTATION } from '@podwright/api/names';
import type { Conversation, RunRequest } from '@podwright/api/run';
import { safeText } from '@podwright/api/safe-text';
import { V3_NEUTRAL_MODEL } from '@podwright/api/v3/models';
import { createHash } from 'node:crypto';
import type { Attempts } from '@podwright/runs/attempts';
import type { Conversations } from '@podwright/runs/conversations';
import type { WaitingLine } from '@podwright/runs/waiting-line';
import { chooseModel } from '../conversations/choose-model.ts';
import { type Echo, echoOf } from '../conversations/echo.ts';
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
  models: ModelsFile;
  onWaiting: (tenant: string) => void;
  now: () => number;
}): ManifestTasks {
  const { conversations, attempts, waitingLine, models, onWaiting, now } = options;

  return {
    async ensure(session, tenant) {
      const { task } = session.spec;
      if (!task || !hasOwnTask(session)) return false;
      const { uid } = session.metadata;
      const known = session.status?.run;
      const runId = known?.id ?? uuidFrom(createHash('sha256').update(`task ${uid}`).digest('hex'));
      const problem = modelProblem(models, tenant, task.model ?? null);
      const request = requestOf(
        session,
        tenant,
        runId,
        problem === null ? chooseModel(models, tenant, task.model ?? null) : (task.model ?? ''),
      );
      const created = await conversations.create(conversationOf(session, tenant, runId, now()), request, [
        taskMessage(runId, task.instructions),
      ]);
      if (!created) return true;
      // Status remembers a run that the record does not: what it did is not known, so it is not done again.
      if (known !== undefined) {
        await settle(uid, runId, 'state_lost', 'The record of this run was lost.');
      } else if (problem !== null) {
        await settle(uid, runId, 'unknown_model', problem);
      } else {
        await waitingLine.add(tenant.metadata.name, runId, now());
        onWaiting(tenant.metadata.name);
      }
      return true;
    },
  };

  async function settle(
    uid: string,
    runId: string,
    failureKind: 'state_lost' | 'unknown_model',
    why: string,
  ): Promise<void> {
    const endedAt = new Date(now()).toISOString();
    await attempts.settle(
      { conversationId: uid, runId },
      { state: 'failed', success: false, failureKind, failureMessage: why, endedAt },
    );
  }
}

function modelProblem(models: ModelsFile, tenant: BrowserTenant, requested: string | null): string | null {
  try {
    chooseModel(models, tenant, requested);
    return null;
  } catch (error) {
    return (error as Error).message;
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

function requestOf(session: BrowserSession, tenant: BrowserTenant, runId: string, model: string): RunRequest {
  const { task } = session.spec;
  const caps = [task?.maxCostUsd, tenant.spec.budgets?.perRunUsd].flatMap((text) =>
    text === undefined ? [] : [parseUsd(text)],
  );
  return {
    runId,
    conversationId: session.metadata.uid,
    tenant: tenant.metadata.name,
    sessionUid: session.metadata.uid,
    sessionName: session.metadata.name,
    namespace: session.metadata.namespace ?? '',
    task: task?.instructions ?? '',
    model,
    outputSchema: task?.outputSchema ?? null,
    maxSteps: task?.maxSteps ?? DEFAULT_MAX_STEPS,
    maxCostMicroUsd: caps.length === 0 ? null : Math.min(...caps),
    allowedOrigins: task?.allowedOrigins === undefined ? null : [...task.allowedOrigins],
    createdAt: session.metadata.creationTimestamp,
  };
}
