import type { BrowserPool } from '@podwright/api/kinds/pool';
import type { BrowserSession } from '@podwright/api/kinds/session';
import type { BrowserTenant } from '@podwright/api/kinds/tenant';
import { FIELD_MANAGER, REDIS } from '@podwright/api/names';
import { v3Status } from '@podwright/api/v3/v3-status';
import { applyStatus } from '@podwright/kube/apply-status';
import type { Client } from '@podwright/kube/client';
import { isNotFound } from '@podwright/kube/kube-error';
import { RESOURCE } from '@podwright/kube/resource';
import type { Attempts } from '@podwright/runs/attempts';
import type { Conversations } from '@podwright/runs/conversations';
import type { WaitingLine } from '@podwright/runs/waiting-line';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { readEcho } from '../conversations/echo.ts';
import type { RunQueue } from '../dispatch/run-queue.ts';
import type { Links } from '../links/links.ts';
import { browserCost, pricePerHour } from '../metering/browser-cost.ts';
import type { CostLedger } from '../metering/cost-ledger.ts';
import type { SessionCache } from '../sessions/session-cache.ts';
import { browserPhaseOf, isOpen } from '../sessions/session-state.ts';
import type { SessionStopper } from '../sessions/stop-session.ts';
import { type SettleFacts, type SettlePlan, currentRun, decideSettle } from './decide-settle.ts';
import type { ManifestTasks } from './manifest-task.ts';
import { createSettleGone } from './settle-gone.ts';

/**
 * Brings records, object and ledger of one session together, whatever happened between: one replica at a time does it,
 * and every step can be repeated.
 */
export interface Settler {
  /** Works on the session with this UID; says when to look again. */
  settle(uid: string): Promise<{ at?: number }>;
}

export function createSettler(options: {
  client: Client;
  cache: SessionCache;
  redis: Redis;
  conversations: Conversations;
  attempts: Attempts;
  waitingLine: WaitingLine;
  queue: RunQueue;
  tasks: ManifestTasks;
  ledger: CostLedger;
  links: Links;
  stopper: SessionStopper;
  findPool: (namespace: string, name: string) => BrowserPool | undefined;
  findTenant: (namespace: string) => BrowserTenant | undefined;
  /** Throws when this replica may not write any more. */
  assertHeld: () => void;
  log: Logger;
  now: () => number;
}): Settler {
  const { client, cache, redis, conversations, attempts, waitingLine, queue, tasks, ledger, links, stopper } = options;
  const { findPool, findTenant, assertHeld, log, now } = options;
  const settleGone = createSettleGone({ cache, conversations, attempts, waitingLine, ledger, now });
  const written = new Map<string, number>();

  const observe = async (session: BrowserSession, tenant: BrowserTenant): Promise<SettleFacts> => {
    if (isOpen(session)) await tasks.ensure(session, tenant);
    const { uid } = session.metadata;
    const conversationId = await conversations.findBySession(uid);
    const view = conversationId === null ? null : await conversations.get(conversationId);
    const run = currentRun({ session, view });
    const pool = findPool(session.metadata.namespace ?? '', session.status?.poolName ?? '');
    const asksForJob = run !== null && (run.state === 'queued' || run.state === 'running');
    return {
      session,
      view,
      browserMicroUsd: browserCost(session, pricePerHour(pool), now()),
      earlierModelMicroUsd: run && view ? readEcho(view.conversation.echo).carried.modelMicroUsd : 0,
      job: asksForJob
        ? {
            queued: await queue.has(run.request.runId),
            alive: (await redis.exists(REDIS.heartbeat(run.request.conversationId, run.request.runId))) === 1,
          }
        : null,
      writtenAt: written.get(uid) ?? 0,
      now: now(),
    };
  };

  const carryOut = async (plan: SettlePlan, facts: SettleFacts, tenant: string): Promise<void> => {
    const { session, view, browserMicroUsd } = facts;
    const { uid } = session.metadata;
    const run = currentRun(facts);
    const key = run && { conversationId: run.request.conversationId, runId: run.request.runId };
    const stamp = new Date(now()).toISOString();
    if (plan.failRun && key) {
      await attempts.settle(key, { state: 'failed', success: false, ...plan.failRun, endedAt: stamp });
      log.info({ run: key.runId, session: uid, tenant, failureKind: plan.failRun.failureKind }, 'run settled');
    }
    if (plan.requeue && key) {
      await queue.add({ ...key, tenant });
      log.warn({ run: key.runId, session: uid, tenant }, 'run had fallen out of the queue');
    }
    if (session.status?.startedAt !== undefined)
      await ledger.checkpoint(tenant, 'browser', uid, browserMicroUsd, now());
    if (run && run.modelCostMicroUsd > 0) {
      await ledger.checkpoint(tenant, 'model', run.request.runId, run.modelCostMicroUsd, now());
    }
    if (plan.stop) {
      assertHeld();
      await stopper.stop(session, plan.stop, 'gateway');
    }
    if (plan.status) {
      assertHeld();
      const how = { fieldManager: FIELD_MANAGER.gateway };
      const applied = await applyStatus(client, RESOURCE.browserSessions, session, plan.status, how);
      written.set(uid, now());
      if (applied) cache.remember(applied);
    }
    if (plan.close) {
      await links.stop(uid, session.status?.stoppingAt ?? session.status?.endedAt ?? stamp);
      if (view && view.conversation.sessionUid === uid) {
        const after = await conversations.get(view.conversation.id);
        if (after) {
          const status = v3Status({ ...after, browser: browserPhaseOf(session) });
          const echo = { ...after.conversation.echo, ended: { sessionUid: uid, status, browserMicroUsd } };
          await conversations.patch(view.conversation.id, { echo });
        }
      }
      written.delete(uid);
    }
    if (plan.joinLine && run) {
      await waitingLine.add(tenant, run.request.runId, Date.parse(run.request.createdAt));
    }
    if (plan.leaveLine && key) await waitingLine.remove(tenant, key.runId);
  };

  return {
    async settle(uid) {
      const session = cache.byUid(uid);
      if (!session) return settleGone(uid);
      const tenant = findTenant(session.metadata.namespace ?? '');
      if (!tenant) return {};
      try {
        const facts = await observe(session, tenant);
        const plan = decideSettle(facts);
        await carryOut(plan, facts, tenant.metadata.name);
        return plan.again === null ? {} : { at: plan.again };
      } catch (error) {
        // It went away while it was looked at.
        if (isNotFound(error)) return {};
        throw error;
      }
    },
  };
}
