import { createHash, timingSafeEqual } from 'node:crypto';
import { parseUsd } from '@podwright/api/money';

/** What a key may do. */
export const KEY_SCOPES = ['run', 'browse', 'view', 'control', 'admin'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** A key as its Secret holds it, without anything the key text could be found from but its hash. */
export interface StoredKey {
  id: string;
  /** UID of the Secret. */
  uid: string;
  tenant: string;
  /** SHA-256 of the whole key text. */
  hash: Buffer;
  scopes: ReadonlySet<KeyScope>;
  /** What one run of this key may cost at most, in micro-USD; null: no limit of its own. */
  capMicroUsd: number | null;
  /** Names of the profiles it may use; null: all of its tenant. */
  profiles: ReadonlySet<string> | null;
  /** Milliseconds since the epoch; null: never. */
  expiresAt: number | null;
}

const KEY_TEXT = /^bu_([0-9a-f]{12})_[A-Za-z0-9_-]{43}$/;

/** Id inside a key text; null when the text is no key. */
export const keyIdOf = (text: string): string | null => KEY_TEXT.exec(text)?.[1] ?? null;

/** Compared against when the id is unknown, so that an unknown id takes as long as a wrong secret. */
const NOBODY = createHash('sha256').update('nobody').digest();

/** Whether `text` is the key that `stored` describes. Takes the same time whatever is wrong. */
export function isKey(text: string, stored: StoredKey | undefined, now: number): stored is StoredKey {
  const same = timingSafeEqual(createHash('sha256').update(text).digest(), stored?.hash ?? NOBODY);
  return same && stored !== undefined && (stored.expiresAt === null || stored.expiresAt > now);
}

/** Reads the decoded data of a key's Secret; null when it cannot be a key (a broken one opens nothing). */
export function parseStoredKey(facts: {
  id: string;
  uid: string;
  tenant: string;
  data: Record<string, string>;
}): StoredKey | null {
  const { hash = '', scopes = '', capUsd, profiles, expiresAt } = facts.data;
  if (!/^[0-9a-f]{64}$/.test(hash.trim())) return null;
  try {
    const until = expiresAt === undefined || expiresAt.trim() === '' ? null : Date.parse(expiresAt.trim());
    if (Number.isNaN(until)) return null;
    return {
      id: facts.id,
      uid: facts.uid,
      tenant: facts.tenant,
      hash: Buffer.from(hash.trim(), 'hex'),
      scopes: new Set(KEY_SCOPES.filter((scope) => words(scopes).includes(scope))),
      capMicroUsd: capUsd === undefined || capUsd.trim() === '' ? null : parseUsd(capUsd.trim()),
      profiles: profiles === undefined || profiles.trim() === '' ? null : new Set(words(profiles)),
      expiresAt: until,
    };
  } catch {
    return null;
  }
}

const words = (text: string): string[] => text.split(',').map((word) => word.trim());
