import { type Static, Type } from 'typebox';
import { OneOf } from './kinds/shared.ts';
import { SCOPES } from './tokens.ts';

/**
 * Doors between parts of one installation. Callers send `Authorization: Bearer <ServiceAccount token of INTERNAL_AUDIENCE>`
 * (file INTERNAL_TOKEN_PATH); the receiver asks the API server (TokenReview) and compares the account's name.
 *
 * Gateway, port `PORT.gatewayInternal`:
 *   POST /internal/pod-tokens    agent     PodTokenRequest -> PodTokenResponse; 409 `session_ended` when the session is gone,
 *                                          403 when the attempt is not the current one of the run
 * Keeper, port `PORT.keeper`:
 *   PUT  /blobs/<tenant>/<kind>/<name...>   agent, gateway    bytes -> BlobRef        kind: screenshots, downloads, uploads, archives, recordings
 *   GET  /blobs/<tenant>/<kind>/<name...>   gateway           bytes
 *   GET  /blobs/<tenant>/<kind>?prefix=&cursor=&limit=   gateway    -> BlobListing
 *   DELETE /blobs/<tenant>/<kind>/<name...> gateway -> 204
 *   POST /presign {tenant, kind, name, method: GET|PUT, expiresInSeconds, contentType?, size?}  gateway -> {url}   (a path of the keeper's public door, or an S3 URL)
 *   GET|PUT /presigned/<token>   anyone with the URL, through the gateway's /files/ route
 *   POST /collect {namespace, sessionName, sessionUid, podUid, podIP, profile?}   operator -> CollectResponse: downloads and profile are pulled from the pod and stored
 *   POST /profiles/load {namespace, profile, podUid, podIP, sessionUid}   operator -> ProfileLoadResponse: state is pushed into the pod
 *   PUT|GET /profiles/<namespace>/<name>/state   gateway    storage state import and export
 *   DELETE /profiles/<namespace>/<name>?uid=<uid>   operator -> 204: the bytes of that BrowserProfile are deleted
 */
export const PodTokenRequest = Type.Object({
  runId: Type.String({ format: 'uuid' }),
  conversationId: Type.String({ format: 'uuid' }),
  attempt: Type.Integer({ minimum: 1 }),
  scope: OneOf(SCOPES),
});
export type PodTokenRequest = Static<typeof PodTokenRequest>;

export const PodTokenResponse = Type.Object({
  token: Type.String(),
  /** `http://<pod ip>:9000`, no trailing slash. */
  doorUrl: Type.String(),
  podUid: Type.String(),
  sessionUid: Type.String(),
});
export type PodTokenResponse = Static<typeof PodTokenResponse>;

export const BLOB_KINDS = ['screenshots', 'downloads', 'uploads', 'archives', 'recordings'] as const;
export type BlobKind = (typeof BLOB_KINDS)[number];

export const BlobRef = Type.Object({ ref: Type.String(), size: Type.Integer() });
export type BlobRef = Static<typeof BlobRef>;

export const BlobListing = Type.Object({
  blobs: Type.Array(Type.Object({ name: Type.String(), size: Type.Integer(), lastModified: Type.String() })),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
});
export type BlobListing = Static<typeof BlobListing>;

export const CollectRequest = Type.Object({
  tenant: Type.String(),
  namespace: Type.String(),
  sessionName: Type.String(),
  sessionUid: Type.String(),
  podUid: Type.String(),
  podIP: Type.String(),
  /** Profile to write back, when the session holds it for writing. */
  profile: Type.Optional(Type.String()),
});
export type CollectRequest = Static<typeof CollectRequest>;

export const CollectResponse = Type.Object({
  downloads: Type.Integer(),
  profileVersion: Type.Union([Type.Integer(), Type.Null()]),
  /** What could not be saved, in words; empty when all was. */
  lost: Type.Array(Type.String()),
});
export type CollectResponse = Static<typeof CollectResponse>;

export const ProfileLoadRequest = Type.Object({
  namespace: Type.String(),
  profile: Type.String(),
  sessionUid: Type.String(),
  podUid: Type.String(),
  podIP: Type.String(),
});
export type ProfileLoadRequest = Static<typeof ProfileLoadRequest>;

export const ProfileLoadResponse = Type.Object({
  /** `Empty`: nothing was saved yet. `Expired`: what was saved is too old. In both cases the browser starts clean. */
  outcome: OneOf(['Loaded', 'Empty', 'Expired']),
  version: Type.Union([Type.Integer(), Type.Null()]),
  capturedAt: Type.Union([Type.String(), Type.Null()]),
  expiresAt: Type.Union([Type.String(), Type.Null()]),
  /** What the browser did not take, in words; empty when it took all. */
  missing: Type.Array(Type.String()),
});
export type ProfileLoadResponse = Static<typeof ProfileLoadResponse>;
