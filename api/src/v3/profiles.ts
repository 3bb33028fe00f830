import { type Static, Type } from 'typebox';
import { Instant, Nullable, OptionalNullable, PageQuery, Uuid } from './common.ts';

/** Saved login states. The id is the UID of the BrowserProfile. */

export const ProfileBody = Type.Union([
  Type.Object({
    name: OptionalNullable(Type.String({ maxLength: 100 })),
    userId: OptionalNullable(Type.String({ maxLength: 255 })),
  }),
  Type.Null(),
]);
export type ProfileBody = Static<typeof ProfileBody>;

export const ListProfilesQuery = Type.Object({
  ...PageQuery,
  query: Type.Optional(Type.String({ maxLength: 200 })),
});
export type ListProfilesQuery = Static<typeof ListProfilesQuery>;

export const ProfileView = Type.Object({
  id: Uuid,
  userId: Nullable(Type.String()),
  name: Nullable(Type.String()),
  lastUsedAt: Nullable(Instant),
  createdAt: Instant,
  updatedAt: Instant,
  cookieDomains: Nullable(Type.Array(Type.String())),
});
export type ProfileView = Static<typeof ProfileView>;

export const ProfileList = Type.Object({
  items: Type.Array(ProfileView),
  totalItems: Type.Integer(),
  pageNumber: Type.Integer(),
  pageSize: Type.Integer(),
});
export type ProfileList = Static<typeof ProfileList>;
