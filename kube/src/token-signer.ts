import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Issuer, type Signer, createSigner } from '@podwright/api/tokens';
import type { Log } from './reflector.ts';
import { sleep } from './sleep.ts';

/** How often the mounted files are looked at. The kubelet itself takes up to a minute or two to bring a change. */
const LOOK_EVERY_MS = 5_000;

/** A private key as the issuer's Secret holds it. */
interface HeldKey {
  kid: string;
  privatePem: string;
}

export interface TokenSigner extends Signer {
  /** Key id that the next token is signed with. */
  readonly kid: string;
  stop(): Promise<void>;
}

/**
 * Signs pod tokens with the key that the operator released for this issuer, and changes keys without a restart.
 * `keyDir` is the issuer's mounted Secret: `private.pem` and `kid`, during a rotation also `next.pem` and `next.kid`.
 * `releasedFile` is `signing.json` of the mounted public keys: key id by issuer that every live pod lists; absent or
 * naming a key that is not held here, the current one signs. Throws when the current key cannot be read at the start;
 * later a file that cannot be read leaves things as they are.
 */
export async function startTokenSigner(options: {
  issuer: Issuer;
  installation: string;
  keyDir: string;
  releasedFile: string;
  now: () => number;
  log: Log;
  lookEveryMs?: number;
}): Promise<TokenSigner> {
  const { issuer, installation, now, log } = options;
  const life = new AbortController();
  let signer: Signer;
  let kid = '';

  async function load(): Promise<void> {
    const keys = await readKeys(options.keyDir);
    const released = await readReleased(options.releasedFile, issuer);
    const chosen = keys.find((key) => key.kid === released) ?? keys[0]!;
    if (chosen.kid === kid) return;
    signer = await createSigner({ issuer, installation, ...chosen, now });
    if (kid !== '') log.info({ kid: chosen.kid, before: kid }, 'tokens are signed with another key from now on');
    kid = chosen.kid;
  }

  async function look(): Promise<void> {
    while (!life.signal.aborted) {
      await sleep(options.lookEveryMs ?? LOOK_EVERY_MS, life.signal).catch(() => undefined);
      if (life.signal.aborted) return;
      await load().catch((error: unknown) =>
        log.warn({ err: error }, 'the token keys cannot be read; the old one stays'),
      );
    }
  }

  await load();
  const looking = look();
  return {
    sign: (podUid, claims) => signer.sign(podUid, claims),
    get kid() {
      return kid;
    },
    async stop() {
      life.abort();
      await looking;
    },
  };
}

/** The current key first. */
async function readKeys(folder: string): Promise<HeldKey[]> {
  const read = async (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
  const current = { privatePem: await read('private.pem'), kid: (await read('kid')).trim() };
  const next = await Promise.all([read('next.pem'), read('next.kid')]).catch(absent);
  return next === undefined ? [current] : [current, { privatePem: next[0], kid: next[1].trim() }];
}

async function readReleased(file: string, issuer: Issuer): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(absent);
  if (text === undefined) return undefined;
  const released: unknown = JSON.parse(text);
  const kid = typeof released === 'object' && released !== null ? Reflect.get(released, issuer) : undefined;
  return typeof kid === 'string' ? kid : undefined;
}

function absent(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
