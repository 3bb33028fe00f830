import { setTimeout as delay } from 'node:timers/promises';
import { ModelCallError, classifyError } from './classify-error.ts';

export interface RetryOptions {
  attempts: number;
  firstDelayMs: number;
  /** Longest wait, also when the provider asks for more. */
  maxDelayMs: number;
  random: () => number;
  signal: AbortSignal;
}

/** Tries again what may pass, with growing and jittered waits. Throws ModelCallError, or the reason of the signal. */
export async function withRetry<T>(options: RetryOptions, call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      options.signal.throwIfAborted();
      const failure = classifyError(error);
      if (!failure.retryable || attempt >= options.attempts) throw new ModelCallError(failure, error);
      const growing = options.firstDelayMs * 2 ** (attempt - 1) * (0.75 + options.random() / 2);
      const wait = Math.min(failure.retryAfterMs ?? growing, options.maxDelayMs);
      await delay(wait, undefined, { signal: options.signal });
    }
  }
}
