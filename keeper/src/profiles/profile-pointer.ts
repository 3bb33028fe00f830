import { timingSafeEqual } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { KeyRing } from './key-ring.ts';
import { SealError, pointerProof, unwrapDataKey } from './profile-cipher.ts';

const Facts = Type.Object({
  profileUid: Type.String(),
  version: Type.Integer({ minimum: 1 }),
  /** Name of the sealed state beside the pointer. */
  object: Type.String({ pattern: '^v[0-9]{8,}-[0-9a-f]{12}$' }),
  /** Bytes of the state before sealing. */
  sizeBytes: Type.Integer({ minimum: 0 }),
  cookieDomains: Type.Array(Type.String()),
  capturedAt: Type.String(),
  /** UID of the session that wrote it, or `import`. */
  writer: Type.String(),
  /** `status.writerEpoch` of the BrowserProfile when it was written. */
  writerEpoch: Type.Integer({ minimum: 0 }),
  /** Keyed hash of the state, to tell a save that changes nothing. */
  digest: Type.String(),
});

/** What `current.json` of a profile says. The version it names is complete: it was written first. */
const Pointer = Type.Object({
  ...Facts.properties,
  dataKey: Type.Object({ kid: Type.String(), sealed: Type.String() }),
  /** Over everything but the wrapped key, which changes when it is rewrapped. */
  proof: Type.String(),
});
export type ProfilePointer = Static<typeof Pointer>;
export type PointerFacts = Static<typeof Facts>;

/** Reads a pointer and proves it. Throws SealError for one that is damaged, forged or of another profile. */
export function openPointer(
  bytes: Buffer,
  profileUid: string,
  ring: Pick<KeyRing, 'all' | 'find'>,
): { pointer: ProfilePointer; dataKey: Buffer } {
  const pointer = parse(bytes);
  if (pointer.profileUid !== profileUid) throw new SealError('the pointer belongs to another profile');
  const dataKey = unwrapDataKey(ring, profileUid, pointer.dataKey);
  const given = Buffer.from(pointer.proof, 'base64');
  const wanted = Buffer.from(pointerProof(dataKey, canonical(pointer)), 'base64');
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw new SealError('the pointer was changed');
  return { pointer, dataKey };
}

export function writePointer(facts: PointerFacts, dataKey: Buffer, wrapped: ProfilePointer['dataKey']): ProfilePointer {
  return { ...facts, dataKey: wrapped, proof: pointerProof(dataKey, canonical(facts)) };
}

/** The facts in the order of the schema, whatever order they were read in. */
function canonical(facts: PointerFacts): string {
  const names = Object.keys(Facts.properties) as (keyof PointerFacts)[];
  return JSON.stringify(names.map((name) => facts[name]));
}

function parse(bytes: Buffer): ProfilePointer {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch (error) {
    throw new SealError('the pointer is not JSON', { cause: error });
  }
  if (!Value.Check(Pointer, value)) throw new SealError('the pointer is not one');
  return value;
}
