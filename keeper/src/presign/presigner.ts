import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { ApiError } from '@podwright/api/errors';

/** A week, as S3 has it. */
export const MAX_PRESIGN_SECONDS = 7 * 24 * 3600;
/** Fits the URL and header limits of clients and proxies. */
const MAX_TOKEN_LENGTH = 3000;

/** What a URL may do: read or write one blob until an instant. */
const Grant = Type.Object({
  m: Type.Union([Type.Literal('GET'), Type.Literal('PUT')]),
  /** Key of the blob. */
  k: Type.String(),
  /** End, seconds since the epoch. */
  e: Type.Integer(),
  /** Content type: of the answer to GET, demanded of a PUT. */
  t: Type.Optional(Type.String()),
  /** Exact size that a PUT must have. */
  s: Type.Optional(Type.Integer()),
});
type Grant = Static<typeof Grant>;

export interface PresignedAccess {
  method: 'GET' | 'PUT';
  key: string;
  contentType?: string;
  size?: number;
}

export interface Presigner {
  sign(access: PresignedAccess, lifeSeconds: number): string;
  /** Throws ApiError `not_found` for anything that was not signed here, and `gone` when its time is over. */
  verify(token: string, method: 'GET' | 'PUT'): PresignedAccess;
}

/** Tokens of presigned URLs: the grant as JSON and its HMAC-SHA256, both base64url. They cannot be revoked, only end. */
export function createPresigner(options: {
  /** The first signs; any verifies, so that URLs outlive a rotation of the key they were derived from. */
  keys: () => readonly Buffer[];
  now: () => number;
}): Presigner {
  const macOf = (key: Buffer, payload: string): Buffer => createHmac('sha256', key).update(payload).digest();

  return {
    sign({ method, key, contentType, size }, lifeSeconds) {
      const grant: Grant = {
        m: method,
        k: key,
        e: Math.floor(options.now() / 1000) + lifeSeconds,
        ...(contentType === undefined ? {} : { t: contentType }),
        ...(size === undefined ? {} : { s: size }),
      };
      const payload = Buffer.from(JSON.stringify(grant)).toString('base64url');
      return `${payload}.${macOf(options.keys()[0]!, payload).toString('base64url')}`;
    },

    verify(token, method) {
      const [payload = '', mac = '', ...rest] = token.length <= MAX_TOKEN_LENGTH ? token.split('.') : [];
      const given = Buffer.from(mac, 'base64url');
      const isOurs = options.keys().some((key) => {
        const wanted = macOf(key, payload);
        return given.length === wanted.length && timingSafeEqual(given, wanted);
      });
      if (rest.length > 0 || !isOurs) throw new ApiError('not_found');
      const grant: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
      if (!Value.Check(Grant, grant) || grant.m !== method) throw new ApiError('not_found');
      if (grant.e * 1000 <= options.now()) throw new ApiError('gone');
      return {
        method: grant.m,
        key: grant.k,
        ...(grant.t === undefined ? {} : { contentType: grant.t }),
        ...(grant.s === undefined ? {} : { size: grant.s }),
      };
    },
  };
}
