/** A refusal by the API server, or no answer at all (`code` 0). Messages hold no credential: requests carry none in their path. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  /** HTTP status; 0 when there was no answer. */
  readonly code: number;
  /** `reason` of the Status object: NotFound, AlreadyExists, Conflict, Forbidden, Invalid, Expired, TooManyRequests … */
  readonly reason: string;
  /** Seconds the server asked to wait. */
  readonly retryAfter: number | undefined;

  constructor(code: number, reason: string, message: string, options: { cause?: unknown; retryAfter?: number } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.reason = reason;
    this.retryAfter = options.retryAfter;
  }
}

const has = (error: unknown, code: number, reason?: string): error is KubeError =>
  error instanceof KubeError && error.code === code && (reason === undefined || error.reason === reason);

export const isNotFound = (error: unknown): error is KubeError => has(error, 404);
/** The name is taken. */
export const isAlreadyExists = (error: unknown): error is KubeError => has(error, 409, 'AlreadyExists');
/** The object changed since it was read, a UID or resourceVersion did not match, or another field manager owns a field. */
export const isConflict = (error: unknown): error is KubeError => has(error, 409) && error.reason !== 'AlreadyExists';
/** The resourceVersion is too old to watch or page from: list again. */
export const isExpired = (error: unknown): error is KubeError => has(error, 410);
/** The credentials were not believed: a token that ended, or was taken back. */
export const isUnauthorized = (error: unknown): error is KubeError => has(error, 401);
/** A watch whose connection lives and says nothing, bookmarks included. */
export const isSilent = (error: unknown): error is KubeError => has(error, 0, 'Silent');
export const isForbidden = (error: unknown): error is KubeError => has(error, 403);
/** A ResourceQuota or LimitRange said no. */
export const isQuota = (error: unknown): error is KubeError =>
  has(error, 403) && /quota|LimitRange|(maximum|minimum) .* usage per|max limit to request ratio/i.test(error.message);
export const isInvalid = (error: unknown): error is KubeError => has(error, 422);
/** The namespace is going away: nothing can be created in it. */
export const isTerminating = (error: unknown): error is KubeError =>
  has(error, 403) && /being terminated/.test(error.message);
/** The same request may succeed later: no answer, throttled, or trouble inside the server. */
export const isRetryable = (error: unknown): error is KubeError =>
  error instanceof KubeError && (error.code === 0 || error.code === 429 || error.code >= 500);

/** Reads a Status body, and the header that says when to come back, into an error. */
export function errorOfStatus(
  code: number,
  body: string,
  headers: Record<string, string | string[] | undefined> = {},
): KubeError {
  // As a date it is nothing that an API server sends.
  const retryAfter = Number(headers['retry-after']);
  const extra = Number.isFinite(retryAfter) && retryAfter > 0 ? { retryAfter } : {};
  try {
    const status = JSON.parse(body) as { reason?: string; message?: string; code?: number };
    return new KubeError(status.code ?? code, status.reason ?? 'Unknown', status.message ?? `HTTP ${code}`, extra);
  } catch {
    return new KubeError(code, 'Unknown', `HTTP ${code}: ${body.slice(0, 200)}`, extra);
  }
}

/** For logs: what is known needs one line, what is not keeps its stack. */
export const errorFields = (error: unknown): { error: string; code?: number } | { err: unknown } => {
  if (error instanceof KubeError) return { error: error.message, code: error.code };
  return error instanceof Error && error.name === 'LeaseLostError' ? { error: error.message } : { err: error };
};
