import { generateKeyPairSync } from 'node:crypto';
import {
  ISSUERS,
  type Issuer,
  type PodTokenClaims,
  type PublicKeySet,
  type Scope,
  type Signer,
  createSigner,
} from '@podwright/api/tokens';

export const INSTALLATION = 'test';

/** Real keys of all three issuers, and tokens signed with them. */
export interface TestTokens {
  publicKeys: PublicKeySet;
  token(issuer: Issuer, podUid: string, claims: Omit<PodTokenClaims, 'issuer' | 'tokenId'>): Promise<string>;
}

/** The issuer that hands out each scope in an installation. */
export const ISSUER_OF: Record<Scope, Issuer> = {
  bind: 'operator',
  status: 'operator',
  quiesce: 'gateway',
  activity: 'gateway',
  cdp: 'gateway',
  view: 'gateway',
  control: 'gateway',
  files: 'keeper',
  profile: 'keeper',
  collect: 'keeper',
};

export async function createTestTokens(now: () => number = Date.now): Promise<TestTokens> {
  const publicKeys: PublicKeySet = { operator: [], gateway: [], keeper: [] };
  const signers = new Map<Issuer, Signer>();
  for (const issuer of ISSUERS) {
    const pair = generateKeyPairSync('ed25519');
    const kid = `${issuer}-1`;
    publicKeys[issuer].push({ kid, pem: pair.publicKey.export({ type: 'spki', format: 'pem' }).toString() });
    const privatePem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    signers.set(issuer, await createSigner({ issuer, installation: INSTALLATION, kid, privatePem, now }));
  }
  return {
    publicKeys,
    token: async (issuer, podUid, claims) => signers.get(issuer)!.sign(podUid, claims),
  };
}
