import type { BrowserSession } from '@podwright/api/kinds/session';
import type { Client } from '@podwright/kube/client';
import type { EventRecorder } from '@podwright/kube/event-recorder';
import type { Log } from '@podwright/kube/reflector';
import { keyOf } from '@podwright/kube/resource';
import { type PassFact, type WorkQueue, startWorkQueue } from '@podwright/kube/work-queue';
import type { Caches } from '../caches.ts';
import type { CreateGate } from '../pods/create-gate.ts';
import { isLeaving } from '../lookup.ts';
import { isNodeNews, isTerminating } from '../pods/pod-state.ts';
import type { Templates } from '../pods/templates.ts';
import type { Admitter } from './admitter.ts';
import type { ClockGuard } from './clock-guard.ts';
import { decide } from './decide.ts';
import type { Plan } from './draft.ts';
import type { Effect } from './effects.ts';
import type { Execute, Outcome, Subject } from './execute.ts';
import type { Memory, OperatorStatus } from './observation.ts';
import { observe } from './observe.ts';
import { type SessionSecrets, readSecrets } from './secrets.ts';
import type { SessionEffects } from './session-effects.ts';
import { story } from './story.ts';
import { isWorthWriting, saysTheSame } from './worth-writing.ts';

/** Rounds of one pass: a warm claim takes four. More means that two rules disagree, and the log says so. */
const MAX_ROUNDS = 12;
/** May run side by side: neither needs the other, and the pod is owned by the session from its first instant. */
const TOGETHER: ReadonlySet<Effect['do']> = new Set(['addFinalizer', 'claimWarm', 'createPod']);

export interface SessionController {
  queue: WorkQueue;
  stop(): Promise<void>;
}

export function startSessionController(options: {
  client: Client;
  caches: Caches;
  templates: Templates;
  admitter: Admitter;
  execute: Execute;
  effects: Pick<SessionEffects, 'writeStatus'>;
  reserved: ReadonlySet<string>;
  gate: Pick<CreateGate, 'closed'>;
  clock: Pick<ClockGuard, 'isHeld'>;
  events: EventRecorder;
  /** Told of every status that was written, for metrics. */
  onWritten: (
    session: BrowserSession,
    before: OperatorStatus | undefined,
    after: OperatorStatus,
    seenAt: number,
  ) => void;
  onDone: (fact: PassFact) => void;
  now: () => number;
  log: Log;
}): SessionController {
  const { caches, execute, now, log } = options;
  const memories = new Map<string, Memory & { seenAt: number }>();
  const memoryOf = (uid: string): Memory & { seenAt: number } => {
    let memory = memories.get(uid);
    if (!memory) memories.set(uid, (memory = { seenAt: now() }));
    return memory;
  };

  async function secretsOf(session: BrowserSession, signal: AbortSignal): Promise<SessionSecrets> {
    const named = session.spec.proxy ?? session.spec.task?.secretRef;
    if (named === undefined || session.status?.readyAt !== undefined || session.status?.stoppingAt !== undefined) {
      return { check: { state: 'fine' }, proxyUrl: undefined };
    }
    return readSecrets(options.client, session, signal);
  }

  async function write(session: BrowserSession, plan: Plan): Promise<void> {
    const before = session.status;
    if (!isWorthWriting(before, plan.status)) return;
    await options.effects.writeStatus(session, plan.status);
    for (const facts of story(before, plan.status)) options.events.record(session, facts);
    const { phase, reason, podName, start } = plan.status;
    if (phase !== before?.phase || reason !== before?.reason) {
      log.info({ session: keyOf(session), uid: session.metadata.uid, phase, reason, pod: podName, start }, 'session');
    }
    options.onWritten(session, before, plan.status, memoryOf(session.metadata.uid).seenAt);
  }

  async function run(effects: readonly Effect[], subject: Subject, signal: AbortSignal): Promise<Outcome[]> {
    if (effects.every((effect) => TOGETHER.has(effect.do))) {
      return Promise.all(effects.map((effect) => execute(effect, subject, signal)));
    }
    const outcomes: Outcome[] = [];
    for (const effect of effects) outcomes.push(await execute(effect, subject, signal));
    return outcomes;
  }

  /** Observe, decide, act, and the same again while acting changed something; status is written once at the end. */
  async function work(key: string, signal: AbortSignal): Promise<{ at?: number | undefined }> {
    const first = caches.sessions.store.get(key);
    if (!first) return {};
    const { uid } = first.metadata;
    const memory = memoryOf(uid);
    const secrets = await secretsOf(first, signal);
    for (let round = 1; ; round += 1) {
      const session = caches.sessions.store.get(key);
      if (session?.metadata.uid !== uid) return {};
      const observation = observe({
        ...options,
        session,
        memory,
        secrets: secrets.check,
        now: now(),
      });
      const plan = decide(observation);
      if (plan.statusFirst) await write(session, plan);
      const { pool, tenant } = observation;
      // Effects that are guarded by the version need the one that this write has just made.
      const current = caches.sessions.store.get(key);
      if (current?.metadata.uid !== uid) return {};
      const subject = { session: current, pool, tenant, memory, proxyUrl: secrets.proxyUrl };
      const outcomes = await run(plan.effects, subject, signal);
      const goesOn = outcomes.length > 0 && outcomes.every(({ next }) => next === 'go');
      const latest = caches.sessions.store.get(key);
      // An answer that was lost came by the watch meanwhile: what was decided without it is not written.
      const known = saysTheSame(latest?.status, session.status) || saysTheSame(latest?.status, plan.status);
      if ((goesOn || !known) && round < MAX_ROUNDS) continue;
      if (goesOn) log.error({ session: key, effects: plan.effects.map((effect) => effect.do) }, 'rules disagree');
      if (latest?.metadata.uid === uid) await write(latest, plan);
      const soon = outcomes.flatMap((outcome) =>
        outcome.next === 'wait' && outcome.againInMs !== undefined ? [now() + outcome.againInMs] : [],
      );
      const instants = [...soon, ...(plan.at === undefined ? [] : [plan.at])];
      return instants.length === 0 ? {} : { at: Math.min(...instants) };
    }
  }

  const queue = startWorkQueue({ name: 'sessions', work, concurrency: 32, now, log, onDone: options.onDone });
  const addUid = (uid: string | undefined): void => {
    const session = uid === undefined ? undefined : caches.sessions.store.getByUid(uid);
    if (session) queue.add(keyOf(session));
  };
  const addNamespace = (namespace: string): void => {
    for (const session of caches.sessions.store.by('namespace', namespace)) queue.add(keyOf(session));
  };
  const unsubscribe = [
    caches.sessions.onChange((change) => {
      if (change.type === 'removed') memories.delete(change.object.metadata.uid);
      else queue.add(keyOf(change.object));
    }),
    caches.pods.onChange((change) => {
      for (const uid of caches.podSession(change)) addUid(uid);
    }),
    caches.profiles.onChange(({ object }) => {
      for (const session of caches.sessions.store.by('profile', keyOf(object))) queue.add(keyOf(session));
    }),
    caches.tenants.onChange((change) => {
      // Those that wait are woken by their admitter; those that run end with their tenant.
      if (change.type === 'removed' || isLeaving(change.object)) addNamespace(change.object.spec.namespace);
    }),
    caches.namespaces.onChange(({ object }) => {
      if (isTerminating(object)) addNamespace(object.metadata.name);
    }),
    caches.nodes.onChange((change) => {
      if (change.type === 'changed' && !isNodeNews(change.previous, change.object)) return;
      for (const pod of caches.pods.store.by('node', change.object.metadata.name)) {
        for (const uid of caches.podSession({ type: 'added', object: pod })) addUid(uid);
      }
    }),
  ];
  return {
    queue,
    async stop() {
      for (const end of unsubscribe) end();
      await queue.stop();
    },
  };
}
