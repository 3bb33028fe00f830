import { type Static, Type } from 'typebox';
import type { Resource } from './metadata.ts';
import { Conditions, Time } from './shared.ts';

export const BrowserProfileSpec = Type.Object({
  displayName: Type.Optional(Type.String({ maxLength: 100, description: 'Name for people.' })),
  userId: Type.Optional(
    Type.String({ maxLength: 255, description: "The caller's own id of the person it belongs to." }),
  ),
});
export type BrowserProfileSpec = Static<typeof BrowserProfileSpec>;

export const BrowserProfileStatus = Type.Object({
  conditions: Type.Optional(Conditions),
  holder: Type.Optional(
    Type.Object(
      {
        sessionName: Type.String({ maxLength: 253, description: 'Its name.' }),
        sessionUID: Type.String({ maxLength: 36, description: 'Its UID; the name alone proves nothing.' }),
        since: Time('When it was claimed.'),
      },
      { description: 'The one session that may write it back.' },
    ),
  ),
  version: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Version that is current; bytes are kept by the keeper.' }),
  ),
  sizeBytes: Type.Optional(Type.Integer({ minimum: 0, description: 'Size of the current version.' })),
  cookieDomains: Type.Optional(
    Type.Array(Type.String({ maxLength: 253 }), { maxItems: 500, description: 'Domains that have cookies in it.' }),
  ),
  capturedAt: Type.Optional(Time('When the current version was captured.')),
  lastUsedAt: Type.Optional(Time('When a session last loaded it.')),
});
export type BrowserProfileStatus = Static<typeof BrowserProfileStatus>;

export type BrowserProfile = Resource<BrowserProfileSpec, BrowserProfileStatus>;
