import { hkdfSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The key that wraps the data keys of profiles. The keeper alone holds it; losing it loses every profile. */
export interface WrappingKey {
  /** Named in every wrapped data key, so that a later key can tell what it has to rewrap. */
  kid: string;
  /** 32 bytes. */
  key: Buffer;
}

/** Reads `file` (32 bytes as base64) and `kid` beside it. Throws when the key is not one. */
export function readWrappingKey(file: string): WrappingKey {
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64');
  if (key.length !== 32) throw new Error(`the wrapping key in ${file} has ${key.length} bytes; it must have 32`);
  const kid = readFileSync(join(dirname(file), 'kid'), 'utf8').trim();
  return { kid, key };
}

/** A key for another purpose, from which the wrapping key cannot be found. The same on every replica and after a restart. */
export function deriveKey(wrapping: WrappingKey, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', wrapping.key, Buffer.from(wrapping.kid), purpose, 32));
}
