import { type TSchema, Type } from 'typebox';

/** Building blocks of the v3 REST shapes. Unknown fields of requests are ignored: SDKs let callers send extra ones. */

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const OptionalNullable = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema));

export const Uuid = Type.String({ format: 'uuid' });
/** RFC 3339 in UTC, ending in `Z`. */
export const Instant = Type.String({ format: 'date-time' });
/** A sum or a size as a decimal string: no exponent, never empty. */
export const Decimal = Type.String({ pattern: '^[0-9]+(\\.[0-9]+)?$' });

export const UuidParams = Type.Object({ id: Uuid });
export type UuidParams = { id: string };

/** ISO 3166 alpha-2 and the codes the original also knows. Requests may be in upper case, answers are in lower case. */
export const ProxyCountry = Type.String({ pattern: '^[A-Za-z]{2}$' });

/** Screen of a browser, the bounds of VIEWPORT. Width and height go together. */
export const screenFields = {
  browserScreenWidth: OptionalNullable(Type.Integer({ minimum: 320, maximum: 6144 })),
  browserScreenHeight: OptionalNullable(Type.Integer({ minimum: 320, maximum: 3456 })),
};

/** `pageNumber` and `pageSize`, and the names older clients send. */
export const PageQuery = {
  pageNumber: Type.Optional(Type.Integer({ minimum: 1 })),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  page: Type.Optional(Type.Integer({ minimum: 1 })),
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
};

/** Every error body. `detail` is what SDKs show; a top-level `message` would win over it and is never sent. */
export const ErrorBody = Type.Object({
  detail: Type.Union([
    Type.String(),
    Type.Array(
      Type.Object({
        loc: Type.Array(Type.Union([Type.String(), Type.Integer()])),
        msg: Type.String(),
        type: Type.String(),
      }),
    ),
    Type.Object({ code: Type.String(), message: Type.String() }),
  ]),
  code: Type.String(),
  requestId: Type.String(),
});
