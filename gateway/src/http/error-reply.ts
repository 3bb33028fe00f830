import { ApiError, type ErrorCode } from '@podwright/api/errors';
import { KubeError, isQuota, isRetryable } from '@podwright/kube/kube-error';
import { isRedisDown } from '../redis-down.ts';
import { ValidationError } from './validation.ts';

/** What is answered for an error; `unexpected` marks a bug, whose stack belongs in the log. */
export interface ErrorReply {
  status: number;
  code: ErrorCode;
  headers: Record<string, string>;
  body: { detail: unknown; code: string; requestId: string };
  unexpected: boolean;
}

export function errorReply(error: unknown, requestId: string): ErrorReply {
  const known = asApiError(error);
  const unexpected = known === null;
  const told = known ?? new ApiError('internal');
  const detail = error instanceof ValidationError ? error.problems : told.message;
  const wait = told.retryAfter ?? (told.status === 503 ? 2 : undefined);
  return {
    status: told.status,
    code: told.code,
    headers: {
      'x-request-id': requestId,
      ...(wait === undefined ? {} : { 'retry-after': String(wait) }),
      ...(told.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    },
    // No top-level `message`: SDKs would show it instead of the detail.
    body: { detail, code: told.code, requestId },
    unexpected,
  };
}

/** The table's error that stands for what was thrown; null for a bug. */
function asApiError(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error;
  if (isRedisDown(error)) return new ApiError('unavailable', undefined, { cause: error });
  if (error instanceof KubeError) {
    const { retryAfter } = error;
    const options = { cause: error, ...(retryAfter === undefined ? {} : { retryAfter }) };
    if (isQuota(error)) return new ApiError('control_plane_full', undefined, options);
    return isRetryable(error) ? new ApiError('unavailable', undefined, options) : null;
  }
  switch ((error as { code?: unknown } | null)?.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError('too_large');
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_BAD_URL':
      return new ApiError('bad_request');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError('bad_request', 'Send JSON.');
    default:
      return null;
  }
}
