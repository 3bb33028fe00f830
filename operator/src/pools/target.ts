/** What is remembered of earlier targets, so that a lull of a moment does not throw warm pods away. */
export interface TargetMemory {
  /** What was wanted, and until when that counts; in milliseconds since the epoch. */
  held: readonly { wanted: number; until: number }[];
}

export interface TargetInput {
  now: number;
  min: number;
  max: number;
  /** Sessions that the pool may still take; warm pods beyond that could not be claimed. */
  room: number;
  /** Instants at which sessions took a browser of this pool, warm or cold, oldest first. */
  claims: readonly number[];
  /** How long a pod of this pool takes to get ready. */
  startMs: number;
  memory: TargetMemory;
}

/** Claims older than this say nothing about the next minute. */
export const DEMAND_WINDOW_MS = 300_000;
/** How long a higher target is kept after the demand for it has gone. */
const HOLD_MS = 120_000;
/** Demand is measured to be met, and a little more: the next burst is rarely the same as the last. */
const MARGIN = 1.25;
/** A target above `min` falls by time alone, so it is looked at again. */
const LOOK_AGAIN_MS = 15_000;

/**
 * Warm pods that would have met every claim of the last minutes: the most claims that came within one start time, because
 * that is how long a claimed pod takes to be replaced.
 */
export function peakDemand(claims: readonly number[], startMs: number, now: number): number {
  const recent = claims.filter((at) => at > now - DEMAND_WINDOW_MS);
  let peak = 0;
  let first = 0;
  for (const [last, at] of recent.entries()) {
    while (at - recent[first]! >= startMs) first += 1;
    peak = Math.max(peak, last - first + 1);
  }
  return peak;
}

/** The target now. It rises at once and falls only when nothing higher was wanted for a while. */
export function decideTarget(input: TargetInput): { target: number; memory: TargetMemory; at: number | undefined } {
  const { now, min, claims, startMs } = input;
  const max = Math.max(min, input.max);
  const wanted = Math.ceil(peakDemand(claims, startMs, now) * MARGIN);
  // Whatever is neither higher nor longer held than another adds nothing.
  const held = input.memory.held.filter((one) => one.until > now && one.wanted > wanted);
  if (wanted > 0) held.push({ wanted, until: now + HOLD_MS });
  const highest = Math.max(0, ...held.map((one) => one.wanted));
  const target = Math.max(min, Math.min(highest, max, Math.max(0, input.room)));
  return { target, memory: { held }, at: held.length > 0 && max > min ? now + LOOK_AGAIN_MS : undefined };
}
