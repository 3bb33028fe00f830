import { type Static, Type } from 'typebox';
import type { Resource } from './metadata.ts';
import { Conditions, Duration, Time } from './shared.ts';

export const BrowserProfileSpec = Type.Object({
  displayName: Type.Optional(Type.String({ maxLength: 100, description: 'Name for people.' })),
  userId: Type.Optional(
    Type.String({ maxLength: 255, description: "The caller's own id of the person it belongs to." }),
  ),
  maxAge: Type.Optional(
    Duration('State that was captured longer ago is not loaded. Default: 9600h, as long as Chromium keeps a cookie.'),
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
  writerEpoch: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Grows with every holder. What an earlier holder sends late is told apart by it, and refused.',
    }),
  ),
  version: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Version that is current; bytes are kept by the keeper.' }),
  ),
  sizeBytes: Type.Optional(Type.Integer({ minimum: 0, description: 'Size of the current version.' })),
  cookieDomains: Type.Optional(
    Type.Array(Type.String({ maxLength: 253 }), { maxItems: 500, description: 'Domains that have cookies in it.' }),
  ),
  capturedAt: Type.Optional(
    Time('When the state of the current version was in a browser: at its save, or a later one that found nothing new.'),
  ),
  expiresAt: Type.Optional(Time('From then on the state is not loaded any more: capturedAt and maxAge.')),
  lastUsedAt: Type.Optional(Time('When a session last loaded it.')),
  lastSavedAt: Type.Optional(Time('When a session last wrote it back, changed or not.')),
});
export type BrowserProfileStatus = Static<typeof BrowserProfileStatus>;

/** Chromium keeps no cookie longer than 400 days, so a login that nobody used for so long is over anyhow. */
export const PROFILE_DEFAULTS = { maxAge: '9600h' } as const;

export type BrowserProfile = Resource<BrowserProfileSpec, BrowserProfileStatus>;
