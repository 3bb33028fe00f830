import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { KeyRing, WrappingKey } from './key-ring.ts';

/**
 * AES-256-GCM for login states. Sealed bytes are `PWS1`, 12 bytes of nonce, the ciphertext and 16 bytes of tag.
 * The associated data names what the bytes are, so that a version of one profile can pass neither for another version
 * nor for another profile, whoever moves blobs about. A data key seals one state per version: nonces stay few.
 */
const MAGIC = Buffer.from('PWS1');
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const OVERHEAD = MAGIC.length + NONCE_BYTES + TAG_BYTES;

export class SealError extends Error {
  override readonly name = 'SealError';
}

export interface WrappedKey {
  /** Which wrapping key. */
  kid: string;
  /** Sealed data key, base64. */
  sealed: string;
}

export const newDataKey = (): Buffer => randomBytes(32);

export function wrapDataKey(wrapping: WrappingKey, profileUid: string, dataKey: Buffer): WrappedKey {
  return { kid: wrapping.kid, sealed: seal(wrapping.key, dataKeyContext(profileUid), dataKey).toString('base64') };
}

/** Throws SealError when it was wrapped by a key that is not held, or for another profile. */
export function unwrapDataKey(ring: Pick<KeyRing, 'all' | 'find'>, profileUid: string, wrapped: WrappedKey): Buffer {
  const wrapping = ring.find(wrapped.kid);
  if (!wrapping) {
    const held = ring.all.map(({ kid }) => kid).join(', ');
    throw new SealError(`the data key was wrapped by key ${wrapped.kid}, and this keeper holds ${held}`);
  }
  return unseal(wrapping.key, dataKeyContext(profileUid), Buffer.from(wrapped.sealed, 'base64'));
}

export function sealState(dataKey: Buffer, profileUid: string, version: number, state: Buffer): Buffer {
  return seal(dataKey, stateContext(profileUid, version), state);
}

/** Throws SealError when the bytes are not exactly that version of that profile. */
export function unsealState(dataKey: Buffer, profileUid: string, version: number, sealed: Buffer): Buffer {
  return unseal(dataKey, stateContext(profileUid, version), sealed);
}

/** Tells whether two states are equal without telling anything of them to who has no key. */
export const stateDigest = (dataKey: Buffer, canonical: Buffer): string => macOf(dataKey, 'digest', canonical);

/** Proof that a pointer was written by a keeper: it says when a state ends and which one counts. */
export const pointerProof = (dataKey: Buffer, text: string): string => macOf(dataKey, 'pointer', Buffer.from(text));

function macOf(dataKey: Buffer, purpose: string, content: Buffer): string {
  const key = Buffer.from(hkdfSync('sha256', dataKey, Buffer.alloc(0), `podwright profile ${purpose}`, 32));
  return createHmac('sha256', key).update(content).digest('base64');
}

const dataKeyContext = (uid: string): string => `podwright data key of profile ${uid}`;
const stateContext = (uid: string, version: number): string => `podwright state of profile ${uid} version ${version}`;

function seal(key: Buffer, context: string, plain: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(context));
  return Buffer.concat([MAGIC, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function unseal(key: Buffer, context: string, sealed: Buffer): Buffer {
  if (sealed.length < OVERHEAD || !sealed.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new SealError('the bytes are not sealed by this installation');
  }
  const nonce = sealed.subarray(MAGIC.length, MAGIC.length + NONCE_BYTES);
  const tag = sealed.subarray(sealed.length - TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(tag);
  try {
    const body = sealed.subarray(MAGIC.length + NONCE_BYTES, sealed.length - TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]);
  } catch (error) {
    throw new SealError('the bytes were changed, or belong to something else', { cause: error });
  }
}
