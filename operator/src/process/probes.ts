import type { ReflectorHealth } from '@podwright/kube/reflector';

/** Longer than every deadline of a reflector: its silence, its pauses, a page of a list. */
const STUCK_MS = 150_000;

/**
 * What the probes of the operator ask. Stuck is a watch that does nothing any more: it neither waits for the API server
 * within its own deadlines nor tries again, so only a new process helps. An API server that refuses, errs or is away makes
 * nothing stuck, whatever it does and for however long: then `podwright_watch_healthy` says so, and starting this process
 * again would help nobody.
 */
export const createProbes = (health: () => readonly ReflectorHealth[]) => ({
  stuck(): string | null {
    const kinds = health().filter(({ sinceStepMs }) => sinceStepMs > STUCK_MS);
    return kinds.length === 0 ? null : `stuck watches: ${kinds.map(({ kind }) => kind).join(', ')}`;
  },
  async ready(): Promise<void> {
    const missing = health().filter(({ synced }) => !synced);
    if (missing.length > 0) throw new Error(`not listed yet: ${missing.map(({ kind }) => kind).join(', ')}`);
  },
});
