import { RUN_QUEUE } from '@podwright/api/names';
import { RunJob } from '@podwright/api/run';
import { DelayedError, type Job, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import type { Logger } from 'pino';
import { Value } from 'typebox/value';
import { createOutageLog } from './outage-log.ts';
import type { JobFate } from './work-on-run.ts';

/**
 * BullMQ's lock is the heartbeat of a job: a worker that is gone is noticed after LOCK_MS plus at most two looks. Whether
 * the run may really be taken is decided by the run's own heartbeat and attempt number.
 */
const LOCK_MS = 4_000;
const RENEW_MS = 1_000;
const LOOK_MS = 1_500;
const LATER_MS = 1_000;

export interface RunQueue {
  start(): void;
  isReady(): boolean;
  /** Takes no further jobs and waits for those at work. */
  close(): Promise<void>;
}

export function createRunQueue(options: {
  redisUrl: string;
  concurrency: number;
  workOn: (job: RunJob) => Promise<JobFate>;
  log: Logger;
}): RunQueue {
  const { log } = options;
  const worker = new Worker<unknown>(
    RUN_QUEUE.name,
    async (job: Job<unknown>, token) => {
      if (!Value.Check(RunJob, job.data)) throw new UnrecoverableError('the job is not a run');
      const fate = await options.workOn(job.data);
      if (fate === 'later') {
        await job.moveToDelayed(Date.now() + LATER_MS, token);
        throw new DelayedError();
      }
      if (fate === 'handed back') {
        await job.moveToWait(token);
        throw new WaitingError();
      }
    },
    {
      autorun: false,
      connection: { url: options.redisUrl, maxRetriesPerRequest: null },
      prefix: RUN_QUEUE.prefix,
      concurrency: options.concurrency,
      lockDuration: LOCK_MS,
      lockRenewTime: RENEW_MS,
      stalledInterval: LOOK_MS,
      // How often a run may be taken over is not the queue's matter.
      maxStalledCount: 10_000,
      // The record says how a run ended; a job that stayed would block its id.
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    },
  );
  worker.on('error', createOutageLog({ log, what: 'the queue', now: Date.now }));
  worker.on('failed', (job, error) => log.error({ run: job?.id, err: error }, 'job failed'));

  return {
    start() {
      worker.run().catch((error: unknown) => log.error({ err: error }, 'the queue has ended'));
    },
    isReady: () => worker.isRunning() && !worker.isPaused(),
    close: () => worker.close(),
  };
}
