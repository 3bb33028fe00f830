import type { BrowserTenant } from '@podwright/api/kinds/tenant';
import { TENANT_DEFAULTS } from '@podwright/api/kinds/tenant';
import type { RunRecord } from '@podwright/api/run';
import type { Conversations } from '@podwright/runs/conversations';
import type { WaitingLine } from '@podwright/runs/waiting-line';
import type { Logger } from 'pino';
import { isRedisDown } from '../redis-down.ts';
import type { SessionCache } from '../sessions/session-cache.ts';
import { decideRun } from './decide-run.ts';
import { type TenantLine, fairOrder } from './fair-order.ts';
import type { MarkQueued } from './queue-run.ts';
import type { RunQueue } from './run-queue.ts';

/**
 * Puts runs into the queue when their browser answers and their tenant's turn has come. Every replica does it; a run is
 * queued by the one that wins. The queue is kept short, because what is in it can no longer be put in a fair order.
 */
export interface Dispatcher {
  /** Something may have become ready. Coalesced: many kicks cost one pass. */
  kick(): void;
  stop(): Promise<void>;
}

/** Runs that may wait in the queue for an agent. */
const LOOKAHEAD = 16;
/** Runs of one tenant looked at in a pass. */
const LINE = 100;
/** Pass without a kick, for what no event told. */
const IDLE_PASS_MS = 2_000;

export function startDispatcher(options: {
  tenants: () => BrowserTenant[];
  conversations: Conversations;
  waitingLine: WaitingLine;
  queue: RunQueue;
  markQueued: MarkQueued;
  cache: SessionCache;
  /** Told of a run whose browser ended before it began. */
  onLost: (sessionUid: string) => void;
  log: Logger;
}): Dispatcher {
  const { tenants, conversations, waitingLine, queue, markQueued, cache, onLost, log } = options;
  let running: Promise<void> | undefined;
  let again = false;
  let stopped = false;

  const lineOf = async (tenant: BrowserTenant): Promise<TenantLine & { runs: Map<string, RunRecord> }> => {
    const { name } = tenant.metadata;
    const ids = await waitingLine.waiting(name, LINE);
    const runs = new Map<string, RunRecord>();
    for (const [index, run] of (await Promise.all(ids.map((id) => conversations.findRun(id)))).entries()) {
      const runId = ids[index]!;
      const session = run && (cache.byUid(run.request.sessionUid) ?? (await cache.read(targetOf(run))));
      const decision = decideRun(run, session);
      if (decision === 'drop') await waitingLine.remove(name, runId);
      else if (decision === 'moved') await waitingLine.moveToRunning(name, runId);
      else if (decision === 'lost') onLost(run!.request.sessionUid);
      else if (decision === 'ready') runs.set(runId, run!);
    }
    const onTheirWay = runs.size === 0 ? 0 : (await waitingLine.running(name)).length;
    const weight = tenant.spec.weight ?? TENANT_DEFAULTS.weight;
    return { tenant: name, weight, running: onTheirWay, ready: [...runs.keys()], runs };
  };

  const pass = async (): Promise<void> => {
    const lines = await Promise.all(tenants().map(lineOf));
    if (lines.every(({ ready }) => ready.length === 0)) return;
    const room = LOOKAHEAD - (await queue.waiting());
    for (const { tenant, runId } of fairOrder(lines, room)) {
      const run = lines.find((line) => line.tenant === tenant)!.runs.get(runId)!;
      const { conversationId } = run.request;
      if (!(await markQueued({ conversationId, runId }))) continue;
      await waitingLine.moveToRunning(tenant, runId);
      await queue.add({ runId, conversationId, tenant });
      log.info({ run: runId, session: run.request.sessionUid, tenant }, 'run queued');
    }
  };

  const loop = async (): Promise<void> => {
    do {
      again = false;
      try {
        await pass();
      } catch (error) {
        log.warn({ err: isRedisDown(error) ? undefined : error, redisDown: isRedisDown(error) }, 'dispatch failed');
      }
    } while (again);
    running = undefined;
  };
  const kick = (): void => {
    if (stopped) return;
    if (running) again = true;
    else running = loop();
  };
  const timer = setInterval(kick, IDLE_PASS_MS);
  return {
    kick,
    async stop() {
      stopped = true;
      again = false;
      clearInterval(timer);
      await running;
    },
  };
}

const targetOf = ({ request }: RunRecord) => ({
  namespace: request.namespace,
  name: request.sessionName,
  uid: request.sessionUid,
});
