import type { Logger } from 'pino';
import type { BrowserProfile } from '@podwright/api/kinds/profile';
import type { BrowserSession } from '@podwright/api/kinds/session';
import type { PodAddress } from '../collect/pod-door-client.ts';
import { type Attempt, decideSaves } from './decide-saves.ts';
import type { PullProfile } from './profile-puller.ts';

/** How often it is looked whether something is due. */
const LOOK_MS = 1_000;
/** A pod has 15 s for a snapshot; the rest is the way and the store. */
const PULL_DEADLINE_MS = 30_000;

/**
 * Login states of sessions under way, written back every few minutes, so that a pod that is killed costs no more than
 * that. The keeper does it by itself: it goes on while the operator is away.
 */
export function startPeriodicSaves(options: {
  /** BrowserProfiles that have a holder. */
  held: () => BrowserProfile[];
  /** Null when there is no such session. */
  session: (target: { namespace: string; name: string }, signal: AbortSignal) => Promise<BrowserSession | null>;
  pull: PullProfile;
  everyMs: number;
  /** Pulls at the same time. */
  concurrency: number;
  now: () => number;
  log: Logger;
}): { stop(): Promise<void> } {
  const { pull, now, log } = options;
  const attempts = new Map<string, Attempt>();
  const running = new Map<string, Promise<void>>();
  const ending = new AbortController();

  async function save(profile: BrowserProfile): Promise<void> {
    const { namespace = '', name } = profile.metadata;
    const holder = profile.status!.holder!;
    const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(PULL_DEADLINE_MS)]);
    const failures = attempts.get(holder.sessionUID)?.failures ?? 0;
    try {
      const session = await options.session({ namespace, name: holder.sessionName }, signal);
      const address = session && addressOf(session, holder.sessionUID);
      if (address) {
        const { version, outcome, missing } = await pull({ id: { namespace, name }, session: address }, signal);
        log.info(
          { namespace, profile: name, session: holder.sessionName, version, outcome, missing },
          'profile pulled',
        );
      }
      attempts.set(holder.sessionUID, { at: now(), failures: 0 });
    } catch (error) {
      if (ending.signal.aborted) return;
      attempts.set(holder.sessionUID, { at: now(), failures: failures + 1 });
      log.warn({ err: error, namespace, profile: name, session: holder.sessionName }, 'a profile was not pulled');
    }
  }

  function look(): void {
    const held = options.held();
    const holders = new Set(held.map((profile) => profile.status?.holder?.sessionUID));
    for (const uid of attempts.keys()) if (!holders.has(uid)) attempts.delete(uid);
    for (const profile of decideSaves({ profiles: held, attempts, everyMs: options.everyMs, now: now() })) {
      const { uid } = profile.metadata;
      if (running.size >= options.concurrency) return;
      if (running.has(uid)) continue;
      running.set(
        uid,
        save(profile).finally(() => running.delete(uid)),
      );
    }
  }

  const timer = setInterval(look, LOOK_MS);
  return {
    async stop() {
      clearInterval(timer);
      ending.abort(new Error('the keeper is shutting down'));
      await Promise.all(running.values());
    },
  };
}

/** Where the session's browser is; null before it is Ready and once it stops: its last state is collected then. */
function addressOf(session: BrowserSession, uid: string): PodAddress | null {
  const { readyAt, stoppingAt, podIP, podUID } = session.status ?? {};
  if (session.metadata.uid !== uid || readyAt === undefined || stoppingAt !== undefined) return null;
  return podIP === undefined || podUID === undefined ? null : { podIP, podUid: podUID, sessionUid: uid };
}
