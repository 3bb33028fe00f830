import { Compile } from 'typebox/compile';
import { Value } from 'typebox/value';
import { ApiError } from '@podwright/api/errors';
import { safeText } from '@podwright/api/safe-text';
import { STORAGE_STATE_MAX_BYTES, StorageState } from '@podwright/api/storage-state';
import { jsonShape } from './json-shape.ts';

/** Far above what real states need, far below what would hurt the process. */
const MAX_DEPTH = 100;
const MAX_VALUES = 500_000;
const MAX_COOKIE_DOMAINS = 500;
const checker = Compile(StorageState);

export interface CheckedState {
  /** JSON text of the state, without unknown members. */
  state: Buffer;
  cookieDomains: string[];
}

/**
 * Turns bytes from a pod or a caller into the state that is kept: parsed, checked, and written anew, so that nothing but
 * the checked members is stored. Throws ApiError `too_large` or `invalid_request`.
 */
export function checkStorageState(bytes: Buffer): CheckedState {
  if (bytes.length > STORAGE_STATE_MAX_BYTES) {
    throw new ApiError('too_large', `A storage state has at most ${STORAGE_STATE_MAX_BYTES} bytes.`);
  }
  const shape = jsonShape(bytes);
  if (shape.depth > MAX_DEPTH) throw new ApiError('invalid_request', 'The storage state is nested too deeply.');
  if (shape.values > MAX_VALUES) throw new ApiError('too_large', `A storage state has at most ${MAX_VALUES} values.`);
  const cleaned = Value.Clean(StorageState, parse(bytes));
  if (!checker.Check(cleaned)) {
    const where = safeText(checker.Errors(cleaned)[0]?.instancePath ?? '', 120);
    throw new ApiError('invalid_request', `This is no storage state; look at ${where === '' ? 'its root' : where}.`);
  }
  const domains = new Set(cleaned.cookies.map((cookie) => cookie.domain.replace(/^\./, '').toLowerCase()));
  return {
    state: Buffer.from(JSON.stringify(cleaned)),
    cookieDomains: [...domains]
      .filter((domain) => domain !== '')
      .toSorted()
      .slice(0, MAX_COOKIE_DOMAINS),
  };
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new ApiError('invalid_request', 'The storage state is not JSON.', { cause: error });
  }
}
