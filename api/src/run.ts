import { type Static, Type } from 'typebox';

/** Contracts of a run: what the gateway puts into the queue, and what both sides keep in Redis (workspace `runs`). */

export const RUN_STATES = ['waiting', 'queued', 'running', 'paused', 'succeeded', 'failed', 'cancelled'] as const;
/** `waiting`: for its session or its turn, not yet in the queue. `queued`: in BullMQ. The last three are terminal. */
export type RunState = (typeof RUN_STATES)[number];
export const TERMINAL_RUN_STATES: ReadonlySet<RunState> = new Set(['succeeded', 'failed', 'cancelled']);

/** Why a run failed: a bounded metric label and a field of the API. */
export const FAILURE_KINDS = {
  step_limit: 'It used all its steps.',
  time_limit: 'It ran longer than it may.',
  budget_exceeded: 'Its money limit was reached.',
  model_error: 'The model provider refused or failed for good.',
  model_unavailable: 'The model provider did not answer in time, several times.',
  model_malformed: 'The model did not follow the protocol, several times.',
  unknown_model: 'The model is not configured for this tenant.',
  not_allowed: 'The policy of the tenant does not let runs be started.',
  output_invalid: 'The answer does not match the output schema.',
  agent_gave_up: 'The agent said that the task cannot be done.',
  no_progress: 'It repeated itself without getting further.',
  session_gone: 'The browser session ended while the run was working.',
  browser_crashed: 'The browser crashed while the run was working.',
  state_lost: 'Its record was lost.',
  cancelled: 'Someone stopped it.',
  internal: 'A bug; the log has its stack.',
} as const;
export type FailureKind = keyof typeof FAILURE_KINDS;

/** What an orchestrating model can do about a failure; `recoveryHint` of the API. */
export const RECOVERY_HINTS: Record<FailureKind, string> = {
  step_limit: 'Split the task, or raise maxSteps.',
  time_limit: 'Split the task, or raise the session duration.',
  budget_exceeded: 'Raise maxCostUsd or use a cheaper model; partial output is kept.',
  model_error: 'Check the model key and name, or choose another model.',
  model_unavailable: 'Try again later, or choose another model.',
  model_malformed: 'Choose a more capable model.',
  unknown_model: 'Choose a model that the tenant is configured for.',
  not_allowed: 'Ask whoever runs the platform; trying again does not help.',
  output_invalid: 'Simplify the output schema, or describe the fields in the task.',
  agent_gave_up: 'Read the summary; change the task or hand over to a person.',
  no_progress: 'Describe the steps in more detail, or hand over to a person.',
  session_gone: 'Create a new session and run the task again.',
  browser_crashed: 'Create a new session and run the task again.',
  state_lost: 'Run the task again.',
  cancelled: 'Run the task again if it is still wanted.',
  internal: 'Try again; report it if it stays.',
};

/** Payload of a BullMQ job; its job id is the run id. Everything else is in the record, which wins over the job. */
export const RunJob = Type.Object({
  runId: Type.String({ format: 'uuid' }),
  conversationId: Type.String({ format: 'uuid' }),
  tenant: Type.String(),
});
export type RunJob = Static<typeof RunJob>;

/** What is asked of a run; written once by the gateway. */
export const RunRequest = Type.Object({
  runId: Type.String({ format: 'uuid' }),
  conversationId: Type.String({ format: 'uuid' }),
  tenant: Type.String(),
  /** Session UID the run works in; the worker checks it at pickup. */
  sessionUid: Type.String({ format: 'uuid' }),
  sessionName: Type.String(),
  namespace: Type.String(),
  task: Type.String({ minLength: 1 }),
  /** Name of a configured model, already resolved from aliases. */
  model: Type.String(),
  outputSchema: Type.Union([Type.Unknown(), Type.Null()]),
  maxSteps: Type.Integer({ minimum: 1 }),
  /** Cap in micro-USD; null means none. Already the least of all that apply. */
  maxCostMicroUsd: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  allowedOrigins: Type.Union([Type.Array(Type.String()), Type.Null()]),
  createdAt: Type.String({ format: 'date-time' }),
});
export type RunRequest = Static<typeof RunRequest>;

/** State of a run as Redis keeps it. Money in micro-USD. */
export interface RunRecord {
  request: RunRequest;
  state: RunState;
  /** Rises by one with each worker that takes the run over; lower attempts cannot write. */
  attempt: number;
  steps: number;
  lastStepSummary: string | null;
  /** The structured or plain answer. */
  output: unknown;
  success: boolean | null;
  failureKind: FailureKind | null;
  failureMessage: string | null;
  failureStatusCode: number | null;
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  modelCostMicroUsd: number;
  screenshotRef: string | null;
  updatedAt: string;
  endedAt: string | null;
}

/** An agent session of the API. Status in the API is computed from it, its current run and the phase of its BrowserSession. */
export interface Conversation {
  id: string;
  tenant: string;
  /** Id of the API key that owns it. */
  grant: string;
  namespace: string;
  /** Current BrowserSession. */
  sessionUid: string;
  sessionName: string;
  currentRunId: string | null;
  /** Exactly as the caller named it. */
  modelAlias: string;
  keepAlive: boolean;
  title: string | null;
  deletedAt: string | null;
  createdAt: string;
  updatedAt: string;
  /** What the caller sent and gets back verbatim (outputSchema, thinkingLevel, profileId, workspaceId, screen, proxy country, metadata …). */
  echo: Record<string, unknown>;
  /** Set once the gateway gave up on it; wins over the phase. */
  stoppedAt: string | null;
}

export const MESSAGE_TYPES = [
  'user_message',
  'assistant_message',
  'browser_action',
  'file_operation',
  'code_execution',
  'integration',
  'planning',
  'completion',
  'browser_action_result',
  'browser_action_error',
] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];

/** A message of a conversation, in the v3 sense. Its place in the list is its sequence number. */
export interface Message {
  id: string;
  runId: string | null;
  role: 'human' | 'ai';
  type: MessageType;
  data: string;
  summary: string;
  screenshotRef: string | null;
  hidden: boolean;
  createdAt: string;
}

/**
 * Message ids are UUIDs that carry their sequence number (1-based) in the last 12 hex digits (RFC 9562 version 8),
 * so that `after` and `before` need no index.
 */
export function messageId(conversationId: string, sequence: number): string {
  const base = conversationId.replaceAll('-', '');
  return `${base.slice(0, 8)}-${base.slice(8, 12)}-8${base.slice(13, 16)}-a${base.slice(17, 20)}-${sequence.toString(16).padStart(12, '0')}`;
}

/** Sequence number inside a message id of this conversation; null when the id belongs to no message of it. */
export function messageSequence(conversationId: string, id: string): number | null {
  const sequence = Number.parseInt(id.slice(-12), 16);
  return sequence > 0 && messageId(conversationId, sequence) === id.toLowerCase() ? sequence : null;
}
