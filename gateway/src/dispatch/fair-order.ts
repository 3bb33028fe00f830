/** What one tenant has on its way and waiting. */
export interface TenantLine {
  tenant: string;
  /** Share of the agents when everyone waits. */
  weight: number;
  /** Runs in the queue or worked on. */
  running: number;
  /** Runs whose browser answers, oldest first. */
  ready: readonly string[];
}

/**
 * Which runs enter the queue next, in order, at most `room`: always the oldest of the tenant that has the least on its
 * way for its weight. Ties go to the name, so that replicas agree.
 */
export function fairOrder(lines: readonly TenantLine[], room: number): { tenant: string; runId: string }[] {
  const state = lines.map((line) => ({ ...line, taken: 0 }));
  const chosen: { tenant: string; runId: string }[] = [];
  while (chosen.length < room) {
    const [next] = state
      .filter((line) => line.taken < line.ready.length)
      .toSorted((a, b) => load(a) - load(b) || (a.tenant < b.tenant ? -1 : 1));
    if (!next) break;
    chosen.push({ tenant: next.tenant, runId: next.ready[next.taken]! });
    next.taken += 1;
  }
  return chosen;
}

const load = (line: { running: number; taken: number; weight: number }): number =>
  (line.running + line.taken) / Math.max(1, line.weight);
