/**
 * The one table of errors. A code tells what happened, whether trying again can help, which status the API answers
 * and the public words. Anything that is not an ApiError is a bug: 500, with its stack in the log and not in the answer.
 */
export const ERRORS = {
  invalid_request: { status: 422, retryable: false, words: 'The request is not valid.' },
  bad_request: { status: 400, retryable: false, words: 'The request cannot be read.' },
  unauthorized: { status: 401, retryable: false, words: 'Invalid API key' },
  payment_required: { status: 402, retryable: false, words: 'Insufficient credits' },
  missing_scope: { status: 403, retryable: false, words: 'API key is missing required scope:' },
  forbidden: { status: 403, retryable: false, words: 'This is not allowed.' },
  timeout_too_long: { status: 403, retryable: false, words: 'Maximum session timeout is 4 hours (240 minutes).' },
  session_not_found: { status: 404, retryable: false, words: 'Session not found' },
  browser_not_found: { status: 404, retryable: false, words: 'Browser session not found' },
  profile_not_found: { status: 404, retryable: false, words: 'Profile not found' },
  profile_unreadable: { status: 500, retryable: false, words: 'The saved login state cannot be opened.' },
  run_not_found: { status: 404, retryable: false, words: 'Run not found' },
  workspace_not_found: { status: 404, retryable: false, words: 'Workspace not found' },
  not_found: { status: 404, retryable: false, words: 'Not found' },
  not_offered: { status: 404, retryable: false, words: 'This feature of the hosted service is not offered here.' },
  session_busy: { status: 409, retryable: true, words: 'Session is running, not idle' },
  session_ended: { status: 409, retryable: false, words: 'Session has ended' },
  idempotency_conflict: { status: 409, retryable: false, words: 'This Idempotency-Key was used with another request.' },
  gone: { status: 410, retryable: false, words: 'This link has ended.' },
  ticket_used: { status: 410, retryable: false, words: 'This ticket was used already. Ask for a new one.' },
  too_large: { status: 413, retryable: false, words: 'The request is too large.' },
  too_many_sessions: {
    status: 429,
    retryable: true,
    words: 'Too many concurrent active sessions. Please wait for one to finish, kill one, or upgrade your plan.',
  },
  too_many_requests: { status: 429, retryable: true, words: 'Too many requests. Please slow down.' },
  exclusive_holder: { status: 409, retryable: true, words: 'Another client holds this browser exclusively.' },
  browser_unavailable: { status: 502, retryable: true, words: 'The browser does not answer.' },
  control_plane_full: { status: 503, retryable: true, words: 'The cluster does not accept new objects at the moment.' },
  unavailable: { status: 503, retryable: true, words: 'A part of the installation is not available at the moment.' },
  not_ready_in_time: { status: 504, retryable: true, words: 'The browser was not ready in time.' },
  internal: { status: 500, retryable: false, words: 'Internal error' },
} as const satisfies Record<string, { status: number; retryable: boolean; words: string }>;
export type ErrorCode = keyof typeof ERRORS;

/** An error with a code of the table. `detail` replaces the public words; it must hold no secret. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly retryable: boolean;
  /** Seconds until trying again makes sense; becomes `Retry-After`. */
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, detail?: string, options: { cause?: unknown; retryAfter?: number } = {}) {
    super(detail ?? ERRORS[code].words, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.status = ERRORS[code].status;
    this.retryable = ERRORS[code].retryable;
    this.retryAfter = options.retryAfter;
  }
}
