import { generateKeyPairSync } from 'node:crypto';
import { SignJWT, importPKCS8 } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type PodTokenClaims,
  type PublicKeySet,
  type Signer,
  TOKEN_TYPE,
  TokenError,
  type Verifier,
  audienceOf,
  createSigner,
  createVerifier,
} from './tokens.ts';

const now = () => 1_800_000_000_000;
const pod = 'pod-1';
const pair = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    pem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
};
const operatorKey = pair();
const gatewayKey = pair();
const keys: PublicKeySet = {
  operator: [{ kid: 'o1', pem: operatorKey.pem }],
  gateway: [{ kid: 'g1', pem: gatewayKey.pem }],
  keeper: [],
};
let gateway: Signer;
let verifier: Verifier;

beforeAll(async () => {
  gateway = await createSigner({
    issuer: 'gateway',
    installation: 'i',
    kid: 'g1',
    privatePem: gatewayKey.privatePem,
    now,
  });
  verifier = await createVerifier({ installation: 'i', podUid: pod, keys, now });
});

async function forged(
  claims: Record<string, unknown>,
  header: { typ?: string; kid?: string } = {},
  key = gatewayKey.privatePem,
) {
  const seconds = now() / 1000;
  return new SignJWT({
    iss: 'gateway',
    aud: audienceOf('i', pod),
    sub: 's',
    jti: 'j',
    iat: seconds,
    exp: seconds + 60,
    scope: 'cdp',
    ...claims,
  })
    .setProtectedHeader({ alg: 'EdDSA', typ: TOKEN_TYPE, kid: 'g1', ...header })
    .sign(await importPKCS8(key, 'EdDSA'));
}
const refusal = (token: string): Promise<unknown> =>
  verifier.verify(token).then(
    () => 'accepted',
    (error: unknown) => (error instanceof TokenError ? error.refusal : error),
  );

describe('pod tokens', () => {
  test('what was signed is what is read', async () => {
    const token = await gateway.sign(pod, { scope: 'cdp', subject: 's', until: 5, attempt: 2, run: 'r', viewer: 'v' });
    const claims: Partial<PodTokenClaims> = await verifier.verify(token);
    expect(claims).toMatchObject({
      issuer: 'gateway',
      scope: 'cdp',
      subject: 's',
      until: 5,
      attempt: 2,
      run: 'r',
      viewer: 'v',
    });
  });

  test('an issuer cannot sign beyond its ceiling', async () => {
    await expect(gateway.sign(pod, { scope: 'bind', subject: 's' })).rejects.toThrow(
      'gateway may not sign tokens of scope bind',
    );
  });

  test.each<[string, string, () => Promise<string>]>([
    ['nonsense', 'malformed', async () => 'a.b.c'],
    ['another type', 'type', () => forged({}, { typ: 'JWT' })],
    ['an unknown key id', 'key', () => forged({}, { kid: 'x' })],
    ['a key that did not sign it', 'signature', () => forged({}, {}, operatorKey.privatePem)],
    ['another pod', 'audience', () => forged({ aud: audienceOf('i', 'pod-2') })],
    ['another installation', 'audience', () => forged({ aud: audienceOf('j', pod) })],
    ['an issuer that does not own the key', 'claims', () => forged({ iss: 'operator', scope: 'bind' })],
    ['a scope above the ceiling', 'scope', () => forged({ scope: 'bind' })],
    ['an unknown scope', 'scope', () => forged({ scope: 'root' })],
    ['a life of more than a minute', 'claims', () => forged({ exp: now() / 1000 + 61 })],
    ['a token of the future', 'claims', () => forged({ iat: now() / 1000 + 45, exp: now() / 1000 + 60 })],
    ['an old token', 'expired', () => forged({ iat: now() / 1000 - 120, exp: now() / 1000 - 60 })],
    ['no token id', 'claims', () => forged({ jti: undefined })],
    ['no end', 'claims', () => forged({ exp: undefined })],
  ])('%s is refused as %s', async (_name, expected, make) => {
    expect(await refusal(await make())).toBe(expected);
  });

  test('an unsigned token is refused for its algorithm', async () => {
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const header = encode({ alg: 'none', typ: TOKEN_TYPE, kid: 'g1' });
    expect(await refusal(`${header}.${encode({ scope: 'cdp' })}.`)).toBe('algorithm');
  });
});
