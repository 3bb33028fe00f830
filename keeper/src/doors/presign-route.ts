import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { BLOB_KINDS } from '@podwright/api/internal-doors';
import { blobKey } from '../blobs/blob-key.ts';
import { MAX_PRESIGN_SECONDS, type Presigner } from '../presign/presigner.ts';
import { BLOB_MAX_BYTES } from './blob-routes.ts';

const PresignRequest = Type.Object({
  tenant: Type.String(),
  kind: Type.Union(BLOB_KINDS.map((kind) => Type.Literal(kind))),
  name: Type.String(),
  method: Type.Union([Type.Literal('GET'), Type.Literal('PUT')]),
  expiresInSeconds: Type.Integer({ minimum: 1, maximum: MAX_PRESIGN_SECONDS }),
  contentType: Type.Optional(Type.String({ maxLength: 200, pattern: '^[!-~ ]+$' })),
  size: Type.Optional(Type.Integer({ minimum: 0, maximum: BLOB_MAX_BYTES })),
});
type PresignRequest = Static<typeof PresignRequest>;

/** `/presign`: a path of the keeper's public door that reads or writes one blob for a while, without any other right. */
export function addPresignRoute(server: FastifyInstance, options: { presigner: Presigner }): void {
  server.post<{ Body: PresignRequest }>(
    '/presign',
    { config: { callers: ['gateway'] }, schema: { body: PresignRequest } },
    async ({ body }) => {
      const { method, expiresInSeconds, contentType, size } = body;
      const access = {
        method,
        key: blobKey(body.tenant, body.kind, body.name),
        ...(contentType === undefined ? {} : { contentType }),
        ...(size === undefined ? {} : { size }),
      };
      return { url: `/presigned/${options.presigner.sign(access, expiresInSeconds)}` };
    },
  );
}
