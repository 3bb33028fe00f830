import type { PodTokenClaims, Scope, Verifier } from '@podwright/api/tokens';
import { TOKEN_SKEW_SECONDS, TokenError } from '@podwright/api/tokens';
import type { Counters } from '../session/counters.ts';
import type { Latch } from '../session/latch.ts';

/** A request that may not pass; `status` and `words` are the answer. */
export class DoorRefusal extends Error {
  override readonly name = 'DoorRefusal';
  readonly status: 401 | 403;
  constructor(status: 401 | 403, words: string) {
    super(words);
    this.status = status;
  }
}

/** Checks the token of a request: signature, audience, time, scope, subject, and that it was not used before. */
export interface Gate {
  /** Claims of the token in an Authorization header. Throws DoorRefusal. */
  pass(authorization: string | undefined, scopes: readonly Scope[]): Promise<PodTokenClaims>;
}

export function createGate(options: {
  verifier: Verifier;
  latch: Latch;
  podUid: string;
  counters: Counters;
  /** Milliseconds. */
  now: () => number;
}): Gate {
  const { verifier, latch, podUid, counters, now } = options;
  /** Ids of used tokens, with the second at which none may be accepted any more. Kept in order of use. */
  const used = new Map<string, number>();

  function forgetOld(): void {
    const second = now() / 1000;
    for (const [id, until] of used) {
      if (until > second) break;
      used.delete(id);
    }
  }

  function refuse(status: 401 | 403, reason: string, words: string): DoorRefusal {
    counters.add(`token_refused_${reason}`);
    return new DoorRefusal(status, words);
  }

  function mayAct({ scope, subject }: PodTokenClaims): boolean {
    // A bind names the session in its body too; the two are compared there, and the latch decides.
    if (scope === 'bind') return true;
    if (latch.sessionUid === undefined) return scope === 'status' && subject === podUid;
    return subject === latch.sessionUid;
  }

  return {
    async pass(authorization, scopes) {
      const token = /^Bearer ([\w.-]+)$/.exec(authorization ?? '')?.[1];
      if (token === undefined) throw refuse(401, 'missing', 'A token is needed.');
      const claims = await verifier.verify(token).catch((error: unknown) => {
        if (error instanceof TokenError) throw refuse(401, error.refusal, `The token is refused: ${error.message}.`);
        throw error;
      });
      if (!scopes.includes(claims.scope)) throw refuse(403, 'scope', `The token does not open this (${claims.scope}).`);
      if (!mayAct(claims)) throw refuse(403, 'subject', 'The token is for another session than this pod serves.');
      forgetOld();
      if (used.has(claims.tokenId)) throw refuse(401, 'replayed', 'The token was used already.');
      used.set(claims.tokenId, claims.expiresAt + TOKEN_SKEW_SECONDS);
      return claims;
    },
  };
}
