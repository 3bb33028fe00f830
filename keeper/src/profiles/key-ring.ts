import { hkdfSync } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A key that wraps the data keys of profiles. The keeper alone holds it; losing it loses every profile. */
export interface WrappingKey {
  /** Named in every wrapped data key, so that a later key can tell what it has to rewrap. */
  kid: string;
  /** 32 bytes. */
  key: Buffer;
}

/** The key that wraps what is written now, and those that wrapped what was written before. */
export interface KeyRing {
  readonly current: WrappingKey;
  /** Current first. */
  readonly all: readonly WrappingKey[];
  find(kid: string): WrappingKey | undefined;
  /** Reads the files again; true when the keys are others than before. What cannot be read throws and changes nothing. */
  reload(): boolean;
}

const RETIRED = /^retired-(.+)\.key$/;

/**
 * Reads `file` (32 bytes as base64), `kid` beside it, and `retired-<kid>.key` of the keys before it. A mounted Secret
 * changes as a whole and under way: `reload` picks up a rotation without a restart.
 */
export function readKeyRing(file: string): KeyRing {
  let keys = readKeys(file);
  return {
    get current() {
      return keys[0];
    },
    get all() {
      return keys;
    },
    find: (kid) => keys.find((entry) => entry.kid === kid),
    reload() {
      const before = keys;
      keys = readKeys(file);
      return keys.length !== before.length || keys.some(({ kid }, at) => kid !== before[at]?.kid);
    },
  };
}

function readKeys(file: string): [WrappingKey, ...WrappingKey[]] {
  const folder = dirname(file);
  const kid = readFileSync(join(folder, 'kid'), 'utf8').trim();
  const retired = readdirSync(folder).flatMap((name) => {
    const old = RETIRED.exec(name)?.[1];
    return old === undefined ? [] : [{ kid: old, key: readKey(join(folder, name)) }];
  });
  return [{ kid, key: readKey(file) }, ...retired.toSorted((a, b) => a.kid.localeCompare(b.kid))];
}

function readKey(file: string): Buffer {
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64');
  if (key.length !== 32) throw new Error(`the wrapping key in ${file} has ${key.length} bytes; it must have 32`);
  return key;
}

/** A key for another purpose, from which the first cannot be found. The same on every replica and after a restart. */
export function deriveKey(from: WrappingKey, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', from.key, Buffer.from(from.kid), purpose, 32));
}
