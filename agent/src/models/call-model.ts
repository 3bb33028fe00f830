import type { ModelEntry } from '@podwright/api/models';
import {
  type FinishReason,
  type Instructions,
  type LanguageModel,
  type LanguageModelUsage,
  type ModelMessage,
  type ToolChoice,
  type ToolSet,
  generateText,
  jsonSchema,
  tool,
} from 'ai';
import { within } from '../within.ts';
import type { Usage } from './price.ts';
import { withRetry } from './retry.ts';

export interface ModelRequest {
  system: string;
  messages: ModelMessage[];
  /** The one tool the model must call; null: it answers in words. */
  tool: { name: string; description: string; schema: object } | null;
  maxOutputTokens: number;
  signal: AbortSignal;
}

export interface ModelReply {
  text: string;
  /** Inputs of all calls of the tool, as parsed; strings when they could not be parsed. */
  toolInputs: unknown[];
  finishReason: FinishReason;
  usage: Usage;
}

/** Asks a configured model. Throws ModelCallError when it stays without an answer. */
export type AskModel = (request: ModelRequest) => Promise<ModelReply>;

const CALL_DEADLINE_MS = 150_000;
const CALL_ATTEMPTS = 5;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 20_000;

export function createAskModel(options: {
  entry: ModelEntry;
  model: LanguageModel;
  random: () => number;
  /** Shorter waits for tests. */
  firstDelayMs?: number;
}): AskModel {
  const { entry, model } = options;
  return async (request) =>
    withRetry(
      {
        attempts: CALL_ATTEMPTS,
        firstDelayMs: options.firstDelayMs ?? FIRST_DELAY_MS,
        maxDelayMs: MAX_DELAY_MS,
        random: options.random,
        signal: request.signal,
      },
      async () => {
        const ended = new AbortController();
        try {
          const result = await within(
            generateText({
              model,
              instructions: instructionsFor(entry, request.system),
              messages: request.messages,
              maxRetries: 0,
              maxOutputTokens: request.maxOutputTokens,
              abortSignal: AbortSignal.any([request.signal, ended.signal]),
              ...toolOptions(request.tool),
            }),
            CALL_DEADLINE_MS,
            request.signal,
          );
          return {
            text: result.text,
            toolInputs: result.toolCalls.map((call) => call.input as unknown),
            finishReason: result.finishReason,
            usage: usageOf(result.usage),
          };
        } finally {
          ended.abort();
        }
      },
    );
}

function toolOptions(wanted: ModelRequest['tool']): { tools?: ToolSet; toolChoice?: ToolChoice<ToolSet> } {
  if (!wanted) return {};
  return {
    tools: {
      // The reply is checked by the loop, which can tell the model what is wrong; the SDK could only refuse it.
      [wanted.name]: tool({ description: wanted.description, inputSchema: jsonSchema(wanted.schema) }),
    },
    toolChoice: { type: 'tool', toolName: wanted.name },
  };
}

/** Anthropic caches a prompt up to where it is told to; the system text and the tool never change during a run. */
const instructionsFor = (entry: ModelEntry, system: string): Instructions =>
  entry.provider === 'anthropic'
    ? {
        role: 'system',
        content: system,
        providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
      }
    : system;

const usageOf = (usage: LanguageModelUsage): Usage => ({
  input: usage.inputTokens ?? 0,
  cachedInput: usage.inputTokenDetails.cacheReadTokens ?? 0,
  output: usage.outputTokens ?? 0,
});
