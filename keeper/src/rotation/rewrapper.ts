import type { Logger } from 'pino';
import type { KeyRing } from '../profiles/key-ring.ts';
import type { ProfileKeeper } from '../profiles/profile-keeper.ts';
import type { ProfileStore } from '../profiles/profile-store.ts';

/** How far the data keys are wrapped by the current key. Counts are of the last round, or of the one under way. */
export interface RewrapProgress {
  /** Key that wraps from now on. */
  current: string;
  /** Keys that are still held for what they wrapped. */
  retired: string[];
  state: 'idle' | 'running' | 'done' | 'failed';
  profiles: number;
  rewrapped: number;
  /** Wrapped by the current key before. */
  upToDate: number;
  failed: { profile: string; because: string }[];
}

export interface Rewrapper {
  /** Starts a round unless one runs. */
  start(): void;
  progress(): RewrapProgress;
  stop(): Promise<void>;
}

/** Deadline of one profile; there is none for a round, which may meet a hundred thousand. */
const ONE_MS = 30_000;
const FAILURES_TOLD = 100;

/** Walks all profiles and wraps their data keys anew. States are not touched; a round may be broken off and begun again. */
export function createRewrapper(options: {
  ring: KeyRing;
  store: Pick<ProfileStore, 'list'>;
  profiles: Pick<ProfileKeeper, 'rewrap'>;
  /** Told at the end of every round, for metrics. */
  onRound: (counts: { current: number; failed: number }) => void;
  log: Logger;
}): Rewrapper {
  const { ring, log } = options;
  const ending = new AbortController();
  const counts = { state: 'idle' as RewrapProgress['state'], profiles: 0, rewrapped: 0, upToDate: 0 };
  let failed: RewrapProgress['failed'] = [];
  let round: Promise<void> | undefined;

  async function walk(): Promise<void> {
    for await (const id of options.store.list(ending.signal)) {
      counts.profiles += 1;
      try {
        const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(ONE_MS)]);
        const outcome = await options.profiles.rewrap(id, signal);
        if (outcome === 'rewrapped') counts.rewrapped += 1;
        if (outcome === 'current') counts.upToDate += 1;
      } catch (error) {
        ending.signal.throwIfAborted();
        const because = error instanceof Error ? error.message : String(error);
        if (failed.length < FAILURES_TOLD) failed.push({ profile: `${id.namespace}/${id.name}`, because });
      }
    }
  }

  async function run(): Promise<void> {
    Object.assign(counts, { state: 'running', profiles: 0, rewrapped: 0, upToDate: 0 });
    failed = [];
    try {
      await walk();
      counts.state = failed.length === 0 ? 'done' : 'failed';
      options.onRound({ current: counts.rewrapped + counts.upToDate, failed: failed.length });
      log.info({ ...counts, failed: failed.length, key: ring.current.kid }, 'data keys were rewrapped');
    } catch (error) {
      counts.state = 'failed';
      failed.push({ profile: '', because: error instanceof Error ? error.message : String(error) });
      if (!ending.signal.aborted) log.error({ err: error }, 'rewrapping was broken off');
    }
  }

  return {
    start() {
      round ??= run().finally(() => (round = undefined));
    },
    progress: () => ({
      current: ring.current.kid,
      retired: ring.all.slice(1).map(({ kid }) => kid),
      ...counts,
      failed: [...failed],
    }),
    async stop() {
      ending.abort(new Error('the keeper is shutting down'));
      await round;
    },
  };
}
