import { ApiError } from '@podwright/api/errors';
import { BLOB_KINDS, type BlobKind } from '@podwright/api/internal-doors';

/**
 * Keys of the blob store. A key is a relative path of plain segments: nothing in it can climb out of the store,
 * name a hidden temporary file or mean something else to a file system than to S3.
 *
 *   tenants/<tenant>/<kind>/<name...>             bytes of runs and sessions
 *   profiles/<namespace>/<profile>/<uid>/...      encrypted login states
 */
const MAX_KEY_BYTES = 900;
const MAX_SEGMENT_BYTES = 240;
const DNS_NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
// oxlint-disable-next-line no-control-regex -- control characters are exactly what is refused
const UNSAFE_IN_SEGMENT = /[\u0000-\u001f\u007f\\/]/;

/** Why `name` cannot be a key or part of one; null when it can. */
export function keyProblem(name: string): string | null {
  if (!name.isWellFormed()) return 'it is not valid Unicode';
  if (Buffer.byteLength(name) > MAX_KEY_BYTES) return `it is longer than ${MAX_KEY_BYTES} bytes`;
  for (const segment of name.split('/')) {
    if (segment === '') return 'it has an empty part';
    if (segment === '.' || segment === '..') return 'it has a part that is . or ..';
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) return `it has a part longer than ${MAX_SEGMENT_BYTES} bytes`;
    if (UNSAFE_IN_SEGMENT.test(segment)) return 'it has a backslash or a control character';
  }
  return null;
}

/** Key of a blob of a tenant. Throws ApiError `bad_request` for anything that is not a plain name. */
export function blobKey(tenant: string, kind: string, name: string): string {
  const problem = keyProblem(name);
  if (problem !== null) throw new ApiError('bad_request', `The name cannot be used: ${problem}.`);
  return `${kindPrefix(tenant, kind)}${name}`;
}

/** Prefix, with its slash, under which all blobs of one kind of a tenant are. */
export function kindPrefix(tenant: string, kind: string): string {
  return `tenants/${dnsName(tenant, 'tenant')}/${asKind(kind)}/`;
}

/** Prefix, with its slash, of all profiles. */
export const PROFILES_PREFIX = 'profiles/';

/** Prefix, with its slash, of everything that belongs to a profile of that name. */
export function profilePrefix(namespace: string, profile: string): string {
  return `${PROFILES_PREFIX}${dnsName(namespace, 'namespace')}/${dnsName(profile, 'profile')}/`;
}

function asKind(kind: string): BlobKind {
  const known = BLOB_KINDS.find((entry) => entry === kind);
  if (!known) throw new ApiError('bad_request', `The kind is one of ${BLOB_KINDS.join(', ')}.`);
  return known;
}

function dnsName(name: string, what: string): string {
  if (!DNS_NAME.test(name) || name.includes('..')) throw new ApiError('bad_request', `This is no name of a ${what}.`);
  return name;
}
