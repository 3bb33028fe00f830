import type { MicroUsd } from '@podwright/api/money';
import type { RunRecord } from '@podwright/api/run';
import type { CreateSessionBody, V3Status } from '@podwright/api/v3/sessions';

/** What a conversation keeps beside its named fields: what the caller sent and gets back, and sums of what went before. */
export interface Echo {
  thinkingLevel: 'disabled' | 'low' | 'medium' | 'high' | null;
  outputSchema: object | null;
  profileId: string | null;
  proxyCountryCode: string | null;
  browserScreenWidth: number | null;
  browserScreenHeight: number | null;
  /** Budget of the whole conversation; null: none was set. */
  maxCostMicroUsd: MicroUsd | null;
  maxSteps: number | null;
  allowedOrigins: string[] | null;
  enableRecording: boolean;
  startUrl: string | null;
  /** Sums over earlier runs and earlier browsers. */
  carried: Carried;
  /** How its present browser ended, once it did: the object goes away, the answer stays. */
  ended: { sessionUid: string; status: V3Status; browserMicroUsd: MicroUsd } | null;
}

export interface Carried {
  steps: number;
  inputTokens: number;
  outputTokens: number;
  modelMicroUsd: MicroUsd;
  browserMicroUsd: MicroUsd;
}

const NOTHING: Carried = { steps: 0, inputTokens: 0, outputTokens: 0, modelMicroUsd: 0, browserMicroUsd: 0 };

/** A conversation's echo; fields that an older version did not write have their default. */
export function readEcho(stored: Record<string, unknown>): Echo {
  return { ...echoOf({}), ...(stored as Partial<Echo>) };
}

export function echoOf(body: CreateSessionBody): Echo {
  return {
    thinkingLevel: body.thinkingLevel ?? null,
    outputSchema: body.outputSchema ?? null,
    profileId: body.profileId ?? null,
    proxyCountryCode: body.proxyCountryCode?.toLowerCase() ?? null,
    browserScreenWidth: body.browserScreenWidth ?? null,
    browserScreenHeight: body.browserScreenHeight ?? null,
    maxCostMicroUsd: null,
    maxSteps: body.maxSteps ?? null,
    allowedOrigins: body.allowedOrigins ?? null,
    enableRecording: body.enableRecording ?? false,
    startUrl: body.startUrl ?? null,
    carried: NOTHING,
    ended: null,
  };
}

/** The echo after a follow-up: only sent fields overwrite, and the finished run joins the sums. */
export function echoAfter(before: Echo, body: CreateSessionBody, finished: RunRecord | null): Echo {
  const sent = Object.fromEntries(
    Object.entries(echoOf(body)).filter(([name]) => name in body && name !== 'carried' && name !== 'ended'),
  ) as Partial<Echo>;
  const { carried } = before;
  return {
    ...before,
    // The schema belongs to a task, not to the conversation.
    outputSchema: null,
    ...sent,
    carried: finished
      ? {
          ...carried,
          steps: carried.steps + finished.steps,
          inputTokens: carried.inputTokens + finished.inputTokens,
          outputTokens: carried.outputTokens + finished.outputTokens,
          modelMicroUsd: carried.modelMicroUsd + finished.modelCostMicroUsd,
        }
      : carried,
  };
}
