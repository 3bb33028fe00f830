import { type CryptoKey, SignJWT, errors, importPKCS8, importSPKI, jwtVerify } from 'jose';

/**
 * Tokens that open one door of one browser pod for at most a minute.
 * EdDSA only. Claims: iss (issuer), aud (installation and pod UID), sub (session UID, or the pod UID before binding),
 * scope (one), jti (used once), iat, exp; `until` bounds the connection it opens; `att` fences attempts of a run.
 */

/** What a token opens. */
export const SCOPES = [
  'bind',
  'status',
  'quiesce',
  'activity',
  'cdp',
  'view',
  'control',
  'files',
  'profile',
  'collect',
] as const;
export type Scope = (typeof SCOPES)[number];

export const ISSUERS = ['operator', 'gateway', 'keeper'] as const;
export type Issuer = (typeof ISSUERS)[number];

/** The ceiling of each issuer: a stolen key of one part opens no door of another. */
export const ISSUER_SCOPES: Record<Issuer, readonly Scope[]> = {
  operator: ['bind', 'status', 'quiesce', 'collect'],
  gateway: ['status', 'quiesce', 'activity', 'cdp', 'view', 'control', 'files'],
  keeper: ['status', 'files', 'profile', 'collect'],
};

export const TOKEN_LIFE_SECONDS = 60;
export const TOKEN_SKEW_SECONDS = 30;
export const TOKEN_TYPE = 'podwright-pod+jwt';

/** Public keys as pods hold them: PEM (SPKI) by key id, per issuer. */
export type PublicKeySet = Record<Issuer, { kid: string; pem: string }[]>;

export interface PodTokenClaims {
  issuer: Issuer;
  scope: Scope;
  /** Session UID that the pod must be latched to; for `bind` the UID it will be latched to; the pod UID for an unbound pod's `status`. */
  subject: string;
  tokenId: string;
  /** Seconds since the epoch at which the connection that this token opens ends. */
  until?: number;
  /** For runs: the attempt that acts. A higher attempt closes the connections of lower ones. */
  attempt?: number;
  run?: string;
  /** For `view` and `control`: who watches, shown to other viewers. */
  viewer?: string;
}

export const audienceOf = (installation: string, podUid: string): string => `${installation}/${podUid}`;

export interface Signer {
  sign(podUid: string, claims: Omit<PodTokenClaims, 'issuer' | 'tokenId'>): Promise<string>;
}

/** A signer for one issuer. `now` returns milliseconds. */
export async function createSigner(options: {
  issuer: Issuer;
  installation: string;
  kid: string;
  privatePem: string;
  now: () => number;
}): Promise<Signer> {
  const key = await importPKCS8(options.privatePem, 'EdDSA');
  return {
    async sign(podUid, claims) {
      if (!ISSUER_SCOPES[options.issuer].includes(claims.scope)) {
        throw new RangeError(`${options.issuer} may not sign tokens of scope ${claims.scope}`);
      }
      const issuedAt = Math.floor(options.now() / 1000);
      const { scope, subject, until, attempt, run, viewer } = claims;
      const extra = { scope, until, att: attempt, run, viewer };
      return new SignJWT(Object.fromEntries(Object.entries(extra).filter(([, value]) => value !== undefined)))
        .setProtectedHeader({ alg: 'EdDSA', typ: TOKEN_TYPE, kid: options.kid })
        .setIssuer(options.issuer)
        .setAudience(audienceOf(options.installation, podUid))
        .setSubject(subject)
        .setJti(crypto.randomUUID())
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + TOKEN_LIFE_SECONDS)
        .sign(key);
    },
  };
}

/** Why a token was refused; a bounded metric label. */
export type TokenRefusal =
  | 'malformed'
  | 'algorithm'
  | 'type'
  | 'key'
  | 'signature'
  | 'audience'
  | 'expired'
  | 'claims'
  | 'scope'
  | 'replayed';

export class TokenError extends Error {
  override readonly name = 'TokenError';
  readonly refusal: TokenRefusal;
  constructor(refusal: TokenRefusal, message: string) {
    super(message);
    this.refusal = refusal;
  }
}

export interface Verifier {
  /** Checks everything but the subject and single use, which need the pod's state. Throws TokenError. */
  verify(token: string): Promise<PodTokenClaims & { expiresAt: number }>;
}

export async function createVerifier(options: {
  installation: string;
  podUid: string;
  keys: PublicKeySet;
  now: () => number;
}): Promise<Verifier> {
  const keys = new Map<string, { issuer: Issuer; key: CryptoKey }>();
  for (const issuer of ISSUERS) {
    for (const { kid, pem } of options.keys[issuer] ?? [])
      keys.set(kid, { issuer, key: await importSPKI(pem, 'EdDSA') });
  }
  return {
    async verify(token) {
      let keyIssuer: Issuer | undefined;
      const verified = await jwtVerify(
        token,
        (header) => {
          if (header.alg !== 'EdDSA') throw new TokenError('algorithm', 'only EdDSA is accepted');
          if (header.typ !== TOKEN_TYPE) throw new TokenError('type', `only ${TOKEN_TYPE} is accepted`);
          const entry = header.kid === undefined ? undefined : keys.get(header.kid);
          if (!entry) throw new TokenError('key', 'the key id is not known to this pod');
          keyIssuer = entry.issuer;
          return entry.key;
        },
        {
          algorithms: ['EdDSA'],
          audience: audienceOf(options.installation, options.podUid),
          clockTolerance: TOKEN_SKEW_SECONDS,
          requiredClaims: ['iss', 'sub', 'jti', 'iat', 'exp', 'scope'],
          currentDate: new Date(options.now()),
        },
      ).catch((error: unknown) => {
        throw asTokenError(error);
      });
      const { payload } = verified;
      const issuer = ISSUERS.find((name) => name === payload.iss);
      const scope = SCOPES.find((name) => name === payload['scope']);
      if (!issuer || issuer !== keyIssuer) throw new TokenError('claims', 'the issuer does not own this key');
      if (!scope || !ISSUER_SCOPES[issuer].includes(scope))
        throw new TokenError('scope', 'the issuer may not grant this scope');
      const { iat = 0, exp = 0 } = payload;
      if (exp - iat > TOKEN_LIFE_SECONDS) throw new TokenError('claims', 'the token lives too long');
      if (iat * 1000 > options.now() + TOKEN_SKEW_SECONDS * 1000)
        throw new TokenError('claims', 'the token is from the future');
      return {
        issuer,
        scope,
        subject: payload.sub ?? '',
        tokenId: payload.jti ?? '',
        expiresAt: exp,
        ...(typeof payload['until'] === 'number' ? { until: payload['until'] } : {}),
        ...(typeof payload['att'] === 'number' ? { attempt: payload['att'] } : {}),
        ...(typeof payload['run'] === 'string' ? { run: payload['run'] } : {}),
        ...(typeof payload['viewer'] === 'string' ? { viewer: payload['viewer'] } : {}),
      };
    },
  };
}

function asTokenError(error: unknown): TokenError {
  if (error instanceof TokenError) return error;
  if (error instanceof errors.JWTExpired) return new TokenError('expired', 'the token has expired');
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return new TokenError('signature', 'the signature is wrong');
  if (error instanceof errors.JOSEAlgNotAllowed) return new TokenError('algorithm', 'only EdDSA is accepted');
  if (error instanceof errors.JWTClaimValidationFailed) {
    return error.claim === 'aud'
      ? new TokenError('audience', 'the token is for another pod')
      : new TokenError('claims', `claim ${error.claim} is missing or wrong`);
  }
  return new TokenError('malformed', 'the token cannot be read');
}
