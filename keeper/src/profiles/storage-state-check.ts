import { Compile } from 'typebox/compile';
import { Value } from 'typebox/value';
import { ApiError } from '@podwright/api/errors';
import { safeText } from '@podwright/api/safe-text';
import { jsonShape } from '@podwright/api/json-shape';
import {
  STORAGE_STATE_MAX_BYTES,
  STORAGE_STATE_MAX_DEPTH,
  STORAGE_STATE_MAX_VALUES,
  StorageSnapshot,
  type StorageState,
} from '@podwright/api/storage-state';

const MAX_COOKIE_DOMAINS = 500;
const checker = Compile(StorageSnapshot);

export interface CheckedState {
  /** JSON text of the state, without unknown members. */
  state: Buffer;
  /** The same in an order that does not depend on how it was read. */
  canonical: Buffer;
  /** What the pod could not read, in its words. */
  missing: string[];
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
  if (shape.depth > STORAGE_STATE_MAX_DEPTH)
    throw new ApiError('invalid_request', 'The storage state is nested too deeply.');
  if (shape.values > STORAGE_STATE_MAX_VALUES) {
    throw new ApiError('too_large', `A storage state has at most ${STORAGE_STATE_MAX_VALUES} values.`);
  }
  const cleaned = Value.Clean(StorageSnapshot, parse(bytes));
  if (!checker.Check(cleaned)) {
    const where = safeText(checker.Errors(cleaned)[0]?.instancePath ?? '', 120);
    throw new ApiError('invalid_request', `This is no storage state; look at ${where === '' ? 'its root' : where}.`);
  }
  const { missing = [], ...state } = cleaned;
  const domains = new Set(cleaned.cookies.map((cookie) => cookie.domain.replace(/^\./, '').toLowerCase()));
  return {
    state: Buffer.from(JSON.stringify(state)),
    canonical: Buffer.from(JSON.stringify(inOrder(state))),
    missing: missing.map((words) => safeText(words, 300)),
    cookieDomains: [...domains]
      .filter((domain) => domain !== '')
      .toSorted()
      .slice(0, MAX_COOKIE_DOMAINS),
  };
}

/** Cookies and origins come in the order of their use; the same ones in another order are the same state. */
function inOrder({ cookies, origins }: StorageState): StorageState {
  const byText = <T>(textOf: (item: T) => string) => {
    return (a: T, b: T): number => (textOf(a) < textOf(b) ? -1 : 1);
  };
  return {
    cookies: cookies.toSorted(
      byText(({ domain, path, name, partitionKey }) => JSON.stringify([domain, path, name, partitionKey])),
    ),
    origins: origins.toSorted(byText(({ origin }) => origin)),
  };
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new ApiError('invalid_request', 'The storage state is not JSON.', { cause: error });
  }
}
