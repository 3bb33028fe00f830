/**
 * Which origins a snapshot reads, and in which order the state names them: both by their last use, latest first. Read is
 * what is open now, for it may change at any moment, and what was used since it was read. The rest is as it was when it
 * was loaded or read, and costs no visit.
 */
export function planReading(facts: {
  /** Origins and the number of their last use. */
  uses: ReadonlyMap<string, number>;
  open: ReadonlySet<string>;
  /** Number of the last use that an origin had when it was read. */
  readAt: ReadonlyMap<string, number>;
  /** Origins whose storages are known, in the order in which they were put. */
  held: readonly string[];
}): { read: string[]; order: string[] } {
  const { uses, open, readAt } = facts;
  const lastUse = (origin: string): number => uses.get(origin) ?? 0;
  const order = [...new Set([...open, ...[...uses.keys()].toReversed(), ...facts.held])].toSorted(
    (a, b) => Number(open.has(b)) - Number(open.has(a)) || lastUse(b) - lastUse(a),
  );
  const read = order.filter((origin) => open.has(origin) || lastUse(origin) > (readAt.get(origin) ?? 0));
  return { read, order };
}
