import type { RunRecord, RunState } from '@podwright/api/run';
import { REDIS } from '@podwright/api/names';
import type { Redis } from 'ioredis';
import { type NewMessage, decodeRun, encodeFields, encodeMessage } from './encoding.ts';
import { createScript } from './script.ts';
import { BEAT, COMMIT, HAND_BACK, JOURNAL, TAKE_ATTEMPT } from './scripts.ts';

/** Another worker has taken the run over, or it has ended: whoever holds this error must not act any more. */
export class SupersededError extends Error {
  override readonly name = 'SupersededError';
  readonly outcome: 'missing' | 'ended' | 'superseded';
  constructor(outcome: 'missing' | 'ended' | 'superseded') {
    super(`this attempt may not write any more: ${outcome}`);
    this.outcome = outcome;
  }
}

export type RunPatch = Partial<Omit<RunRecord, 'request' | 'attempt'>>;

/** Where a run is kept. */
export interface RunKey {
  conversationId: string;
  runId: string;
}

/** One line of the step journal: `intent` before an action, `outcome` after it, `step` when a step is complete. */
export interface JournalEntry {
  kind: 'intent' | 'outcome' | 'step' | 'note';
  attempt: number;
  step: number;
  /** Index of the action in its step. */
  action?: number;
  data: unknown;
}

/** What the gateway asks of the agent that works on a run. */
export type Control = 'cancel' | 'pause' | 'resume';

/** How long a worker may be silent before another takes its run over. */
export const HEARTBEAT_LIFE_MS = 4_000;
/** Longest journal kept per run. */
const JOURNAL_LENGTH = 20_000;

export interface Attempts {
  /** The next attempt for `worker`; or why there is none. `alive`: another worker still beats. */
  take(key: RunKey, worker: string): Promise<number | 'missing' | 'ended' | 'alive'>;
  /** False: superseded. Call it every second or so. */
  beat(key: RunKey, attempt: number, worker: string): Promise<boolean>;
  /** Writes fields and messages in one step. Throws SupersededError. */
  commit(key: RunKey, attempt: number, patch: RunPatch, messages?: NewMessage[]): Promise<void>;
  /**
   * The same for a writer without an attempt: the gateway, when it queues, cancels or settles a run.
   * Returns false when the run is missing or has ended.
   */
  settle(key: RunKey, patch: RunPatch & { state: RunState }, messages?: NewMessage[]): Promise<boolean>;
  journal(key: RunKey, entry: JournalEntry): Promise<void>;
  readJournal(key: RunKey): Promise<JournalEntry[]>;
  /** Gives the run back for another worker, at a step boundary. */
  handBack(key: RunKey, attempt: number): Promise<boolean>;
  get(key: RunKey): Promise<RunRecord | null>;
  /** Leaves a wish for the working agent, which reads it at step boundaries. */
  setControl(key: RunKey, control: Control): Promise<void>;
  getControl(key: RunKey): Promise<Control | null>;
}

export function createAttempts(options: { redis: Redis; now: () => number }): Attempts {
  const { redis, now } = options;
  const takeScripted = createScript(redis, TAKE_ATTEMPT);
  const beatScripted = createScript(redis, BEAT);
  const commitScripted = createScript(redis, COMMIT);
  const journalScripted = createScript(redis, JOURNAL);
  const handBackScripted = createScript(redis, HAND_BACK);
  const runKey = (key: RunKey) => REDIS.run(key.conversationId, key.runId);
  const heartbeatKey = (key: RunKey) => REDIS.heartbeat(key.conversationId, key.runId);
  const stamp = () => new Date(now()).toISOString();

  const write = async (key: RunKey, attempt: number, patch: RunPatch, messages: NewMessage[]): Promise<string> => {
    const fields = encodeFields({ ...patch, updatedAt: stamp() });
    const outcome = await commitScripted(
      [runKey(key), REDIS.messages(key.conversationId)],
      [attempt, fields.length, ...fields, ...messages.map((message) => encodeMessage(message, now()))],
    );
    return String(outcome);
  };

  return {
    async take(key, worker) {
      const outcome = await takeScripted(
        [runKey(key), heartbeatKey(key)],
        [worker, HEARTBEAT_LIFE_MS, JSON.stringify(stamp())],
      );
      return outcome as number | 'missing' | 'ended' | 'alive';
    },
    async beat(key, attempt, worker) {
      return (await beatScripted([runKey(key), heartbeatKey(key)], [attempt, worker, HEARTBEAT_LIFE_MS])) === 1;
    },
    async commit(key, attempt, patch, messages = []) {
      const outcome = await write(key, attempt, patch, messages);
      if (outcome !== 'ok') throw new SupersededError(outcome as SupersededError['outcome']);
    },
    async settle(key, patch, messages = []) {
      return (await write(key, -1, patch, messages)) === 'ok';
    },
    async journal(key, entry) {
      const outcome = await journalScripted(
        [runKey(key), REDIS.journal(key.conversationId, key.runId)],
        [entry.attempt, JOURNAL_LENGTH, JSON.stringify(entry)],
      );
      if (outcome === 'superseded') throw new SupersededError('superseded');
    },
    async readJournal(key) {
      const entries = await redis.xrange(REDIS.journal(key.conversationId, key.runId), '-', '+');
      return entries.map(([, fields]) => JSON.parse(fields[1] ?? 'null') as JournalEntry);
    },
    async handBack(key, attempt) {
      return (await handBackScripted([runKey(key), heartbeatKey(key)], [attempt, JSON.stringify(stamp())])) === 1;
    },
    async get(key) {
      return decodeRun(await redis.hgetall(runKey(key)));
    },
    async setControl(key, control) {
      await redis.set(REDIS.control(key.conversationId, key.runId), control, 'EX', 86_400);
    },
    async getControl(key) {
      const control = await redis.get(REDIS.control(key.conversationId, key.runId));
      return control === 'cancel' || control === 'pause' || control === 'resume' ? control : null;
    },
  };
}
