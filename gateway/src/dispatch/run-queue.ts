import { RUN_QUEUE } from '@podwright/api/names';
import type { RunJob } from '@podwright/api/run';
import { Queue, QueueEvents } from 'bullmq';
import type { Logger } from 'pino';

/** The queue that agents take runs from, as the gateway uses it. */
export interface RunQueue {
  /** Idempotent: a run is in the queue once. */
  add(job: RunJob): Promise<void>;
  has(runId: string): Promise<boolean>;
  /** Jobs that no agent has taken. */
  waiting(): Promise<number>;
  /** Told when an agent takes a run, and when a run's job has ended. */
  onChange(handler: (runId: string) => void): void;
  close(): Promise<void>;
}

const JOB_NAME = 'run';

export function createRunQueue(options: { redisUrl: string; log: Logger }): RunQueue {
  const connection = { url: options.redisUrl, maxRetriesPerRequest: null };
  const queue = new Queue<RunJob>(RUN_QUEUE.name, { prefix: RUN_QUEUE.prefix, connection });
  const events = new QueueEvents(RUN_QUEUE.name, { prefix: RUN_QUEUE.prefix, connection });
  // Both connect again by themselves; requests that need the queue meanwhile fail on their own.
  const complain = (error: Error): void => options.log.warn({ error: error.message }, 'queue');
  queue.on('error', complain);
  events.on('error', complain);
  return {
    async add(job) {
      await queue.add(JOB_NAME, job, { jobId: job.runId, removeOnComplete: true, removeOnFail: true });
    },
    async has(runId) {
      const state = await queue.getJobState(runId);
      return state !== 'unknown' && state !== 'completed' && state !== 'failed';
    },
    async waiting() {
      const counts = await queue.getJobCounts('waiting', 'prioritized');
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    },
    onChange(handler) {
      for (const event of ['active', 'completed', 'failed'] as const) {
        events.on(event, ({ jobId }: { jobId: string }) => handler(jobId));
      }
    },
    async close() {
      await Promise.all([queue.close(), events.close()]);
    },
  };
}
