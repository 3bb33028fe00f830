import { APICallError } from 'ai';
import type { FailureKind } from '@podwright/api/run';
import { DeadlineError } from '../within.ts';

/** What went wrong with a call of a model, and what trying again can do about it. */
export interface ModelFailure {
  kind: Extract<FailureKind, 'model_error' | 'model_unavailable' | 'model_malformed'>;
  /** HTTP status of the provider, null when there was no answer. */
  status: number | null;
  retryable: boolean;
  /** Milliseconds that the provider asked to wait. */
  retryAfterMs: number | null;
  message: string;
}

export class ModelCallError extends Error {
  override readonly name = 'ModelCallError';
  readonly failure: ModelFailure;
  constructor(failure: ModelFailure, cause: unknown) {
    super(failure.message, { cause });
    this.failure = failure;
  }
}

const TEMPORARY = new Set([408, 409, 425, 429]);

/** Reads the original error; wrapped ones are unwrapped. Only words of ours and the status go on, never a body. */
export function classifyError(error: unknown): ModelFailure {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (APICallError.isInstance(at)) return classifyCall(at);
    if (at instanceof DeadlineError) return unavailable('The model did not answer in time.');
  }
  return unavailable('The model provider could not be reached.');
}

function classifyCall(error: APICallError): ModelFailure {
  const status = error.statusCode ?? null;
  if (status === null) return unavailable('The model provider could not be reached.');
  const retryAfterMs = readRetryAfter(error.responseHeaders ?? {});
  if (TEMPORARY.has(status) || status >= 500) {
    const words = status === 429 ? 'The model provider limits the rate of calls' : 'The model provider failed';
    return { kind: 'model_unavailable', status, retryable: true, retryAfterMs, message: `${words} (${status}).` };
  }
  if (status >= 200 && status < 300) {
    return {
      kind: 'model_malformed',
      status,
      retryable: true,
      retryAfterMs: null,
      message: 'The answer of the model provider cannot be read.',
    };
  }
  const words =
    status === 401 || status === 403 ? 'The model provider refused the key' : 'The model provider refused the request';
  return { kind: 'model_error', status, retryable: false, retryAfterMs: null, message: `${words} (${status}).` };
}

const unavailable = (message: string): ModelFailure => ({
  kind: 'model_unavailable',
  status: null,
  retryable: true,
  retryAfterMs: null,
  message,
});

function readRetryAfter(headers: Record<string, string>): number | null {
  const milliseconds = Number(headers['retry-after-ms']);
  if (Number.isFinite(milliseconds) && milliseconds > 0) return milliseconds;
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : null;
}
