import { type ModelsFile, resolveModel } from '@podwright/api/models';
import type { RunJob } from '@podwright/api/run';
import { type Attempts, type RunKey, SupersededError } from '@podwright/runs/attempts';
import type { Logger } from 'pino';
import { type BrowserLink, createBrowserLink, type DoorPass } from '../loop/browser-link.ts';
import { createOriginCheck } from '../loop/origins.ts';
import { CancelledError, StoreLostError } from '../loop/run-control.ts';
import { type RunEnd, endPatch, failedWith } from '../loop/run-end.ts';
import { createRunMessages } from '../loop/run-messages.ts';
import { createRunStore } from '../loop/run-store.ts';
import { runTask } from '../loop/run-task.ts';
import type { RunRecord, RunRequest } from '@podwright/api/run';
import type { AgentMetrics } from '../metrics.ts';
import type { AskModel } from '../models/call-model.ts';
import type { ModelEntry } from '@podwright/api/models';
import { connectBrowser } from '../page/playwright/playwright-browser.ts';
import { revivePages } from '../page/playwright/revive-pages.ts';
import { TOOLS } from '../tools/all.ts';
import { within } from '../within.ts';
import { type RunWatch, watchRun } from './watch-run.ts';

/** What becomes of the job: it is finished, goes to another worker, or is looked at again soon. */
export type JobFate = 'finished' | 'handed back' | 'later';

export interface WorkOptions {
  attempts: Attempts;
  worker: string;
  models: ModelsFile;
  askModel: (entry: ModelEntry) => AskModel;
  askDoor: (request: RunRequest, attempt: number, signal: AbortSignal) => Promise<DoorPass>;
  saveScreenshot: (run: { tenant: string; runId: string }, step: number, jpeg: Buffer) => Promise<string | null>;
  metrics: AgentMetrics;
  log: Logger;
  maxRunMs: number;
  isDraining: () => boolean;
  forced: AbortSignal;
  now: () => number;
}

const CONNECT_MS = 10_000;
/** The last write of a run waits this long for Redis; then another attempt makes it. */
const END_WRITE_MS = 60_000;

/** Takes a run up, works on it, and writes how it ended. Never throws but for bugs outside of the run. */
export function createRunWorker(options: WorkOptions): (job: RunJob) => Promise<JobFate> {
  const { attempts, metrics, now } = options;

  return async (job) => {
    const key: RunKey = { conversationId: job.conversationId, runId: job.runId };
    const log = options.log.child({ run: job.runId, tenant: job.tenant });
    const attempt = await attempts.take(key, options.worker);
    if (attempt === 'alive') return 'later';
    if (attempt === 'ended' || attempt === 'missing') {
      if (attempt === 'missing') log.warn('the job has no record; state_lost');
      return 'finished';
    }
    const record = await attempts.get(key);
    if (!record) return 'finished';
    if (attempt > 1) metrics.takeovers.inc();

    const watch = watchRun({ ...options, key, attempt });
    const started = now();
    metrics.activeRuns.inc();
    try {
      const end = await workOn(record, key, attempt, watch, log);
      if (end === 'handed back') {
        await attempts.handBack(key, attempt);
        log.info({ attempt }, 'run handed back');
        return 'handed back';
      }
      return await writeEnd(end, record, key, attempt, started, log);
    } catch (error) {
      if (error instanceof SupersededError) {
        log.info({ attempt, because: error.outcome }, 'run is not this worker’s any more');
        return 'finished';
      }
      log.warn({ attempt, err: error }, 'run let go of; another attempt continues it');
      return 'later';
    } finally {
      metrics.activeRuns.dec();
      watch.stop();
    }
  };

  async function workOn(
    record: RunRecord,
    key: RunKey,
    attempt: number,
    watch: RunWatch,
    log: Logger,
  ): Promise<RunEnd | 'handed back'> {
    const { request } = record;
    const entry = resolveModel(options.models, request.model);
    if (!entry) return failedWith('unknown_model', `There is no model ${request.model}.`);
    try {
      return await runTask({
        record,
        entry,
        ask: options.askModel(entry),
        tools: TOOLS,
        store: createRunStore({ attempts, key, attempt, signal: watch.signal }),
        control: watch,
        openLink: (place) => openLink(request, attempt, place),
        saveScreenshot: (step, jpeg) => options.saveScreenshot(request, step, jpeg),
        onPart: (part, seconds) => metrics.stepSeconds.observe({ part }, seconds),
        onTokens: (usage) => {
          metrics.modelTokens.inc({ model: entry.name, kind: 'input' }, usage.input - usage.cachedInput);
          metrics.modelTokens.inc({ model: entry.name, kind: 'cached_input' }, usage.cachedInput);
          metrics.modelTokens.inc({ model: entry.name, kind: 'output' }, usage.output);
        },
        maxDurationMs: options.maxRunMs,
        now,
      });
    } catch (error) {
      if (error instanceof CancelledError) return failedWith('cancelled');
      if (error instanceof SupersededError || error instanceof StoreLostError || options.forced.aborted) throw error;
      log.error({ err: error }, 'bug while working on a run');
      return failedWith('internal');
    }
  }

  function openLink(
    request: RunRequest,
    attempt: number,
    place: { podUid: string | null; position: () => { tab: string | null; snapshot: number } },
  ): BrowserLink {
    return createBrowserLink({
      podUid: place.podUid,
      continueAt: place.position,
      askDoor: (signal) => options.askDoor(request, attempt, signal),
      revive: ({ endpoint, headers }, signal) => revivePages({ endpoint, headers, signal }),
      connect: (pass, { tab, snapshot, notices }, signal) =>
        connectBrowser({
          endpoint: pass.endpoint,
          headers: pass.headers,
          tab,
          firstSnapshot: snapshot + 1,
          notices,
          isAllowed: createOriginCheck(request.allowedOrigins),
          timeoutMs: CONNECT_MS,
          now,
          signal,
        }),
    });
  }

  /** Status, answer, success and cost in one write, together with the last message. */
  async function writeEnd(
    end: RunEnd,
    record: RunRecord,
    key: RunKey,
    attempt: number,
    started: number,
    log: Logger,
  ): Promise<JobFate> {
    const latest = await within(attempts.get(key), END_WRITE_MS, options.forced);
    const messages = createRunMessages(key.runId, () => latest?.screenshotRef ?? null);
    const patch = endPatch(end, new Date(now()));
    await within(
      attempts.commit(key, attempt, patch, [messages.completion(end.output, end.summary)]),
      END_WRITE_MS,
      options.forced,
    );
    metrics.runs.inc({ tenant: record.request.tenant, outcome: end.state, failure_kind: end.failureKind ?? '' });
    log.info(
      {
        attempt,
        outcome: end.state,
        failureKind: end.failureKind,
        steps: latest?.steps,
        costMicroUsd: latest?.modelCostMicroUsd,
        seconds: (now() - started) / 1_000,
      },
      'run ended',
    );
    return 'finished';
  }
}
