import type { Conversation, Message, RunRecord } from '@podwright/api/run';
import { messageId } from '@podwright/api/run';

/** Records are Redis hashes with one JSON value per field, so that a script can write some fields and leave the rest. */

export function encodeFields(fields: object): string[] {
  return Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [name, JSON.stringify(value)]));
}

export function decodeRun(hash: Record<string, string>): RunRecord | null {
  return 'request' in hash ? (decode(hash) as unknown as RunRecord) : null;
}

export function decodeConversation(hash: Record<string, string>): Conversation | null {
  return 'id' in hash ? (decode(hash) as unknown as Conversation) : null;
}

function decode(hash: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(hash).map(([name, value]) => [name, JSON.parse(value) as unknown]));
}

/** What is stored of a message: its id follows from its place. */
export type NewMessage = Omit<Message, 'id' | 'createdAt'> & { createdAt?: string };

export function encodeMessage(message: NewMessage, now: number): string {
  return JSON.stringify({ ...message, createdAt: message.createdAt ?? new Date(now).toISOString() });
}

export function decodeMessage(conversationId: string, sequence: number, text: string): Message {
  return { ...(JSON.parse(text) as Omit<Message, 'id'>), id: messageId(conversationId, sequence) };
}

/** The fields of a run that nobody has worked on yet. */
export const freshRun = (now: number): Omit<RunRecord, 'request'> => ({
  state: 'waiting',
  attempt: 0,
  steps: 0,
  lastStepSummary: null,
  output: null,
  success: null,
  failureKind: null,
  failureMessage: null,
  failureStatusCode: null,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  modelCostMicroUsd: 0,
  screenshotRef: null,
  updatedAt: new Date(now).toISOString(),
  endedAt: null,
});
