/** One trouble of a random schedule. Instants are milliseconds after the scenario began. */
export type Trouble =
  | { at: number; do: 'kill' }
  /** The leader stands still; beyond the life of its lease the other replica takes over. */
  | { at: number; do: 'pause'; forMs: number }
  /** What operators read is this old. */
  | { at: number; do: 'stale'; delayMs: number; forMs: number }
  /** So many writes in a row are refused with 409. */
  | { at: number; do: 'conflict'; writes: number }
  /** The wall clock jumps; less than the shortest deadline of the scenario, so that nothing may end by it. */
  | { at: number; do: 'clock'; offsetMs: number };

/** Troubles fall within the first moments, where the scenario does most. */
const SPAN_MS = 2_500;
const LONGEST_STEP_MS = 60_000;

/** A small generator with a full period over its 32 bits (mulberry32): the same seed gives the same numbers anywhere. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Three to seven troubles in order of time; the same for the same seed. */
export function scheduleOf(seed: number): Trouble[] {
  const random = seeded(seed);
  const between = (low: number, high: number): number => Math.round(low + random() * (high - low));
  const troubles = Array.from({ length: between(3, 7) }, (): Trouble => {
    const at = between(0, SPAN_MS);
    switch (between(0, 4)) {
      case 0:
        return { at, do: 'kill' };
      case 1:
        return { at, do: 'pause', forMs: between(200, 8_000) };
      case 2:
        return { at, do: 'stale', delayMs: between(50, 800), forMs: between(500, 4_000) };
      case 3:
        return { at, do: 'conflict', writes: between(1, 6) };
      default:
        return { at, do: 'clock', offsetMs: between(-LONGEST_STEP_MS, LONGEST_STEP_MS) };
    }
  });
  return troubles.toSorted((a, b) => a.at - b.at);
}

/** In one line, for the log. */
export const describe = (troubles: readonly Trouble[]): string =>
  troubles
    .map((trouble) => {
      const { at, do: what, ...facts } = trouble;
      return [`${what}@${at}`, ...Object.entries(facts).map(([name, value]) => `${name}=${value}`)].join(' ');
    })
    .join(', ');
