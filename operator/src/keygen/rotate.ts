/** What the Secret of an issuer holds, in clear. */
export type TokenKeyData = Record<string, string> & {
  'private.pem': string;
  kid: string;
  /** The key that follows; it signs once the operator has released it. */
  'next.pem'?: string;
  'next.kid'?: string;
  /** How often the keys were rotated, as the chart's value says it; absent: 1. */
  generation?: string;
  /** What the gateway derives links from; absent: its first private key. Links outlive rotations. */
  'link.key'?: string;
};

/**
 * The next step of a rotation: the key that was next becomes the current one, the one before it is dropped, and a new
 * one is next. Undefined when the generation is not higher than the one that is held. Throws when the last rotation is
 * not through: a key that some live pod does not list would have to sign. Pure but for `makeKey`.
 */
export function rotate(options: {
  held: TokenKeyData;
  generation: number;
  /** Key id that signs now. */
  released: string | undefined;
  makeKey: () => { 'private.pem': string; kid: string };
}): { data: TokenKeyData; dropped: string | undefined } | undefined {
  const { held, generation } = options;
  if (generation <= Number(held.generation ?? 1)) return undefined;
  const { 'next.pem': nextPem, 'next.kid': nextKid, ...rest } = held;
  if (nextKid !== undefined && options.released !== nextKid) {
    throw new Error(`key ${nextKid} is not in use yet: some browser pod does not list it; rotate again when it is`);
  }
  const promoted = nextPem !== undefined && nextKid !== undefined ? { 'private.pem': nextPem, kid: nextKid } : {};
  const fresh = options.makeKey();
  return {
    dropped: nextKid === undefined ? undefined : held.kid,
    data: {
      ...rest,
      'link.key': held['link.key'] ?? held['private.pem'],
      ...promoted,
      'next.pem': fresh['private.pem'],
      'next.kid': fresh.kid,
      generation: String(generation),
    },
  };
}
