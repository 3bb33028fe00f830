import { type MicroUsd, formatUsd } from '@podwright/api/money';
import { type Conversation, RECOVERY_HINTS, type RunRecord, TERMINAL_RUN_STATES } from '@podwright/api/run';
import { v3ModelName } from '@podwright/api/v3/models';
import type { SessionView, V3Status } from '@podwright/api/v3/sessions';
import { readEcho } from './echo.ts';

/** Everything a v3 session is shown from, gathered before. */
export interface SessionFacts {
  conversation: Conversation;
  run: RunRecord | null;
  status: V3Status;
  /** Of the present browser. */
  browserMicroUsd: MicroUsd;
  liveUrl: string | null;
  screenshotUrl: string | null;
  recordingUrls: string[];
  where: 'one' | 'list';
}

export function sessionView(facts: SessionFacts): SessionView {
  const { conversation, run, where } = facts;
  const echo = readEcho(conversation.echo);
  const { carried } = echo;
  const ended = run !== null && TERMINAL_RUN_STATES.has(run.state);
  const model = carried.modelMicroUsd + (run?.modelCostMicroUsd ?? 0);
  const browser = carried.browserMicroUsd + facts.browserMicroUsd;
  const one = where === 'one';
  return {
    id: conversation.id,
    status: facts.status,
    model: v3ModelName(conversation.modelAlias, where),
    thinkingLevel: echo.thinkingLevel,
    title: conversation.title,
    output: ended ? (run.output ?? null) : null,
    outputSchema: echo.outputSchema,
    stepCount: carried.steps + (run?.steps ?? 0),
    lastStepSummary: run?.lastStepSummary ?? null,
    isTaskSuccessful: ended ? run.success : null,
    liveUrl: facts.liveUrl,
    recordingUrls: one ? facts.recordingUrls : [],
    profileId: echo.profileId,
    workspaceId: null,
    proxyCountryCode: echo.proxyCountryCode,
    browserScreenWidth: echo.browserScreenWidth,
    browserScreenHeight: echo.browserScreenHeight,
    maxCostUsd: echo.maxCostMicroUsd === null ? null : formatUsd(echo.maxCostMicroUsd),
    totalInputTokens: carried.inputTokens + (run?.inputTokens ?? 0),
    totalOutputTokens: carried.outputTokens + (run?.outputTokens ?? 0),
    proxyUsedMb: '0',
    llmCostUsd: formatUsd(model),
    proxyCostUsd: '0.000000',
    browserCostUsd: formatUsd(browser),
    totalCostUsd: formatUsd(model + browser),
    screenshotUrl: one ? facts.screenshotUrl : null,
    agentmailEmail: null,
    integrationsUsed: [],
    createdAt: conversation.createdAt,
    updatedAt: run !== null && run.updatedAt > conversation.updatedAt ? run.updatedAt : conversation.updatedAt,
    resolvedModel: run?.request.model ?? null,
    browserId: conversation.sessionUid,
    failureKind: run?.failureKind ?? null,
    failureMessage: run?.failureMessage ?? null,
    failureStatusCode: run?.failureStatusCode ?? null,
    recoveryHint: run?.failureKind ? RECOVERY_HINTS[run.failureKind] : null,
  };
}
