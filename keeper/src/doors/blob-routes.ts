import type { FastifyInstance } from 'fastify';
import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import { ApiError } from '@podwright/api/errors';
import type { BlobListing, BlobRef } from '@podwright/api/internal-doors';
import { blobKey, keyProblem, kindPrefix } from '../blobs/blob-key.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Presigner } from '../presign/presigner.ts';
import { acceptStreams } from './stream-body.ts';

/** Largest blob that any door takes. */
export const BLOB_MAX_BYTES = 2 * 1024 * 1024 * 1024;
const TRANSFER_DEADLINE_MS = 15 * 60_000;

interface Place {
  tenant: string;
  kind: string;
  '*': string;
}

/** `/blobs/...`: bytes of tenants by kind and name. `/presigned/<token>`: one of them, for whoever has the URL. */
export function addBlobRoutes(parent: FastifyInstance, options: { blobs: BlobStore; presigner: Presigner }): void {
  const { blobs, presigner } = options;
  void parent.register(async (server) => {
    acceptStreams(server);

    server.put<{ Params: Place; Body: Readable }>(
      '/blobs/:tenant/:kind/*',
      { config: { callers: ['agent', 'gateway'], deadlineMs: TRANSFER_DEADLINE_MS } },
      async ({ params, body, stop }): Promise<BlobRef> => {
        const key = blobKey(params.tenant, params.kind, params['*']);
        const { size } = await blobs.put(key, body, { maxBytes: BLOB_MAX_BYTES, signal: stop });
        return { ref: `${params.tenant}/${params.kind}/${params['*']}`, size };
      },
    );

    server.get<{ Params: Place }>(
      '/blobs/:tenant/:kind/*',
      { config: { callers: ['gateway'], deadlineMs: TRANSFER_DEADLINE_MS } },
      async ({ params, stop }, reply) => {
        const found = await blobs.get(blobKey(params.tenant, params.kind, params['*']), stop);
        if (!found) throw new ApiError('not_found');
        return reply.type('application/octet-stream').header('content-length', found.size).send(found.body);
      },
    );

    server.delete<{ Params: Place }>(
      '/blobs/:tenant/:kind/*',
      { config: { callers: ['gateway'] } },
      async ({ params, stop }, reply) => {
        await blobs.delete(blobKey(params.tenant, params.kind, params['*']), stop);
        return reply.code(204).send();
      },
    );

    server.get<{
      Params: { tenant: string; kind: string };
      Querystring: { prefix?: string; cursor?: string; limit: number };
    }>(
      '/blobs/:tenant/:kind',
      {
        config: { callers: ['gateway'] },
        schema: {
          querystring: Type.Object({
            prefix: Type.Optional(Type.String({ maxLength: 900 })),
            cursor: Type.Optional(Type.String({ maxLength: 900 })),
            limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100 }),
          }),
        },
      },
      async ({ params, query, stop }): Promise<BlobListing> => {
        const root = kindPrefix(params.tenant, params.kind);
        const { prefix = '', cursor, limit } = query;
        refuseClimbing(prefix);
        if (cursor !== undefined) refuseClimbing(cursor);
        const after = cursor === undefined ? undefined : `${root}${cursor}`;
        const page = await blobs.list(`${root}${prefix}`, { cursor: after, limit, signal: stop });
        return {
          blobs: page.blobs.map(({ key, size, lastModified }) => ({
            name: key.slice(root.length),
            size,
            lastModified: lastModified.toISOString(),
          })),
          nextCursor: page.nextCursor?.slice(root.length) ?? null,
        };
      },
    );

    server.get<{ Params: { token: string } }>(
      '/presigned/:token',
      { config: { callers: 'anyone', deadlineMs: TRANSFER_DEADLINE_MS } },
      async ({ params, stop }, reply) => {
        const access = presigner.verify(params.token, 'GET');
        const found = await blobs.get(access.key, stop);
        if (!found) throw new ApiError('not_found');
        // The bytes may come from a hostile page: they are saved or shown as a picture, never run as a document of ours.
        const type = access.contentType ?? typeOfName(access.key);
        return reply
          .type(type)
          .header('content-length', found.size)
          .header('x-content-type-options', 'nosniff')
          .header('content-security-policy', "default-src 'none'; sandbox")
          .header('cache-control', 'private, no-store')
          .header('content-disposition', contentDisposition(access.key, type))
          .send(found.body);
      },
    );

    server.put<{ Params: { token: string }; Body: Readable }>(
      '/presigned/:token',
      { config: { callers: 'anyone', deadlineMs: TRANSFER_DEADLINE_MS } },
      async ({ params, body, headers, stop }, reply) => {
        const access = presigner.verify(params.token, 'PUT');
        if (access.contentType !== undefined && headers['content-type'] !== access.contentType) {
          throw new ApiError('invalid_request', `Content-Type must be ${access.contentType}.`);
        }
        if (access.size !== undefined && headers['content-length'] !== String(access.size)) {
          throw new ApiError('invalid_request', `Content-Length must be ${access.size}.`);
        }
        await blobs.put(access.key, body, { maxBytes: access.size ?? BLOB_MAX_BYTES, signal: stop });
        return reply.code(200).send();
      },
    );
  });
}

/** Prefix and cursor may end anywhere within a name, but may not lead out of the tenant's folder. */
function refuseClimbing(partial: string): void {
  const problem = keyProblem(`${partial}x`);
  if (problem !== null) throw new ApiError('bad_request', `The prefix or cursor cannot be used: ${problem}.`);
}

const PICTURES: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  mp4: 'video/mp4',
  webm: 'video/webm',
};

const typeOfName = (key: string): string =>
  PICTURES[key.slice(key.lastIndexOf('.') + 1).toLowerCase()] ?? 'application/octet-stream';

const SHOWN_INLINE = /^image\/(png|jpeg|webp|gif)$|^video\/(mp4|webm)$/;

function contentDisposition(key: string, contentType: string): string {
  const name = key.slice(key.lastIndexOf('/') + 1);
  const how = SHOWN_INLINE.test(contentType) ? 'inline' : 'attachment';
  return `${how}; filename*=UTF-8''${encodeURIComponent(name).replaceAll("'", '%27')}`;
}
