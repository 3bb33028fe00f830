import { readFile } from 'node:fs/promises';
import { ApiError } from '@podwright/api/errors';
import type { BlobKind, BlobListing } from '@podwright/api/internal-doors';
import type { Dispatcher } from 'undici';

/** The keeper's door for the gateway: listings and addresses of stored bytes. Throws `unavailable` when it does not answer. */
export interface KeeperClient {
  list(tenant: string, kind: BlobKind, query: { prefix: string; cursor?: string; limit: number }): Promise<BlobListing>;
  /** Absolute address by which anyone may read one blob for a while. */
  presign(tenant: string, kind: BlobKind, name: string, seconds: number): Promise<string>;
  /** The same for a reference as records hold it: `<tenant>/<kind>/<name>`. */
  presignRef(ref: string, seconds: number): Promise<string>;
  /** Answers a request on one of those addresses, as the keeper does. */
  fetchPresigned(token: string, request: PresignedRequest): Promise<Dispatcher.ResponseData>;
}

export interface PresignedRequest {
  method: 'GET' | 'PUT';
  headers: Record<string, string>;
  body: Dispatcher.DispatchOptions['body'];
  signal: AbortSignal;
}

const TIMEOUT_MS = 5_000;

export function createKeeperClient(options: {
  keeperUrl: string;
  publicUrl: string;
  /** File of the ServiceAccount token for other parts of the installation; read again for each call, because it rotates. */
  tokenPath: string;
  dispatcher: Dispatcher;
}): KeeperClient {
  const { keeperUrl, publicUrl, tokenPath, dispatcher } = options;
  const origin = new URL(keeperUrl).origin;

  const call = async (method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> => {
    const answer = await dispatcher
      .request({
        origin,
        path,
        method,
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: {
          authorization: `Bearer ${(await readFile(tokenPath, 'utf8')).trim()}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      })
      .catch((error: unknown) => {
        throw new ApiError('unavailable', 'The store of files is not available.', { cause: error });
      });
    const text = await answer.body.text();
    if (answer.statusCode === 404) throw new ApiError('not_found');
    if (answer.statusCode >= 400)
      throw new ApiError('unavailable', `The store of files answered ${answer.statusCode}.`);
    return JSON.parse(text);
  };
  const pathOf = (...parts: string[]): string =>
    parts.map((part) => part.split('/').map(encodeURIComponent).join('/')).join('/');

  return {
    async list(tenant, kind, { prefix, cursor, limit }) {
      const query = new URLSearchParams({ prefix, limit: String(limit), ...(cursor === undefined ? {} : { cursor }) });
      return (await call('GET', `/${pathOf('blobs', tenant, kind)}?${query.toString()}`)) as BlobListing;
    },
    async presign(tenant, kind, name, seconds) {
      const body = { tenant, kind, name, method: 'GET', expiresInSeconds: seconds };
      const { url } = (await call('POST', '/presign', body)) as { url: string };
      // The directory store answers with a path of its public door, which the gateway serves under /files; S3 with an address.
      return url.startsWith('/') ? `${publicUrl}/files${url}` : url;
    },
    async presignRef(ref, seconds) {
      const [tenant = '', kind = '', ...name] = ref.split('/');
      return this.presign(tenant, kind as BlobKind, name.join('/'), seconds);
    },
    fetchPresigned: (token, { method, headers, body, signal }) =>
      dispatcher
        .request({
          origin,
          path: `/presigned/${encodeURIComponent(token)}`,
          method,
          headers,
          body: body ?? null,
          signal,
        })
        .catch((error: unknown) => {
          throw new ApiError('unavailable', 'The store of files is not available.', { cause: error });
        }),
  };
}
