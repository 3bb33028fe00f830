import { generateKeyPairSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ISSUERS, type Issuer, type PublicKeySet, type Signer, createSigner } from '@podwright/api/tokens';

/** Real token keys of one installation, as its Secrets and its ConfigMap mount them. */
export interface TokenKeys {
  publicKeys: PublicKeySet;
  /** Directory with `private.pem` and `kid` of an issuer. */
  directoryOf(issuer: Issuer): string;
  publicKeysFile: string;
  signer(issuer: Issuer): Promise<Signer>;
}

export async function makeTokenKeys(options: { directory: string; installation: string }): Promise<TokenKeys> {
  const { directory, installation } = options;
  const publicKeys: PublicKeySet = { operator: [], gateway: [], keeper: [] };
  const privatePems = new Map<Issuer, string>();
  const directoryOf = (issuer: Issuer): string => join(directory, `token-key-${issuer}`);
  for (const issuer of ISSUERS) {
    const pair = generateKeyPairSync('ed25519');
    const privatePem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    privatePems.set(issuer, privatePem);
    publicKeys[issuer].push({
      kid: `${issuer}-1`,
      pem: pair.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    });
    await mkdir(directoryOf(issuer), { recursive: true });
    await writeFile(join(directoryOf(issuer), 'private.pem'), privatePem, { mode: 0o600 });
    await writeFile(join(directoryOf(issuer), 'kid'), `${issuer}-1\n`);
  }
  const publicKeysFile = join(directory, 'token-keys.json');
  await writeFile(publicKeysFile, JSON.stringify(publicKeys));
  return {
    publicKeys,
    directoryOf,
    publicKeysFile,
    signer: (issuer) =>
      createSigner({
        issuer,
        installation,
        kid: `${issuer}-1`,
        privatePem: privatePems.get(issuer)!,
        now: Date.now,
      }),
  };
}
