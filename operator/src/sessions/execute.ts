import type { BrowserPool } from '@podwright/api/kinds/pool';
import type { BrowserSession } from '@podwright/api/kinds/session';
import type { BrowserTenant } from '@podwright/api/kinds/tenant';
import type { Pod } from '@podwright/kube/objects';
import type { Background } from '../background.ts';
import { type KeeperClient, KeeperRefusal } from '../keeper-client.ts';
import { DoorRefusal, type PodDoor } from '../pods/pod-door.ts';
import { bindRequest } from './bind-request.ts';
import type { Effect } from './effects.ts';
import { COLLECT_MS } from './stopping.ts';
import type { Memory } from './observation.ts';
import type { PodEffects } from './pod-effects.ts';
import type { SessionEffects } from './session-effects.ts';

/** What the effects of one session need to know of it. */
export interface Subject {
  session: BrowserSession;
  pool: BrowserPool | undefined;
  tenant: BrowserTenant | undefined;
  memory: Memory;
  proxyUrl: string | undefined;
}

/** `go`: something is different now, decide again at once. `wait`: nothing more can be done in this pass before `againInMs`. */
export type Outcome = { next: 'go' } | { next: 'wait'; againInMs?: number };

const GO: Outcome = { next: 'go' };
const WAIT: Outcome = { next: 'wait' };
/** Loads that failed before the session is given up: with the pauses half a minute, in which a rolled keeper is back. */
const MAX_PROFILE_ATTEMPTS = 12;
/** The keeper answers within 25 s, with what was loaded until then. */
const LOAD_MS = 30_000;
const LONGEST_PROFILE_PAUSE_MS = 3_000;

export type Execute = (effect: Effect, subject: Subject, signal: AbortSignal) => Promise<Outcome>;

export function createExecute(options: {
  pods: PodEffects;
  sessions: SessionEffects;
  door: PodDoor;
  keeper: KeeperClient;
  background: Background;
  /** Puts the session back into the queue when background work has ended. */
  wake: (session: BrowserSession) => void;
  /** Tells of a session that was let go unfinished. */
  tombstone: (session: BrowserSession, words: string) => void;
  now: () => number;
}): Execute {
  const { pods, sessions, door, keeper, background, wake, now } = options;
  const profileAttempts = new WeakMap<Memory, number>();

  async function bind({ session, pool, memory, proxyUrl }: Subject, pod: Pod, signal: AbortSignal): Promise<Outcome> {
    if (!pool) return WAIT;
    memory.bindAttempts = (memory.bindAttempts ?? 0) + 1;
    try {
      const answer = await door.bind(pod, bindRequest(session, pool, proxyUrl), signal);
      memory.bound = { podUid: pod.metadata.uid, answer, at: now() };
      return GO;
    } catch (error) {
      if (signal.aborted) throw error;
      const words = error instanceof Error ? error.message : String(error);
      // A pod that does not answer may be behind a policy that its node has not yet applied: the start timeout ends that.
      if (error instanceof DoorRefusal && error.status < 500 && error.status !== 429) {
        const message = `pod ${pod.metadata.name} after ${memory.bindAttempts} attempts: ${words}`;
        memory.bindFailure = { reason: 'BindRefused', message };
        return GO;
      }
      return { next: 'wait', againInMs: Math.min(500, 25 * 2 ** Math.min(memory.bindAttempts, 5)) };
    }
  }

  async function loadProfile({ session, memory }: Subject, pod: Pod, signal: AbortSignal): Promise<Outcome> {
    const profile = session.spec.profileRef?.name ?? '';
    const attempt = (profileAttempts.get(memory) ?? 0) + 1;
    profileAttempts.set(memory, attempt);
    try {
      const request = {
        namespace: session.metadata.namespace ?? '',
        profile,
        sessionUid: session.metadata.uid,
        podUid: pod.metadata.uid,
        podIP: pod.status?.podIP ?? '',
      };
      const answer = await keeper.loadProfile(request, AbortSignal.any([signal, AbortSignal.timeout(LOAD_MS)]));
      memory.profileLoaded = { podUid: pod.metadata.uid, answer };
      return GO;
    } catch (error) {
      if (signal.aborted) throw error;
      const words = error instanceof Error ? error.message : String(error);
      if (attempt < MAX_PROFILE_ATTEMPTS && !(error instanceof KeeperRefusal))
        return {
          next: 'wait',
          againInMs: Math.min(500 * attempt, LONGEST_PROFILE_PAUSE_MS),
        };
      memory.profileFailure = { reason: 'ProfileLoadFailed', message: `profile ${profile}: ${words}` };
      return GO;
    }
  }

  function collect({ session, tenant, memory }: Subject, pod: Pod): void {
    const writes = session.spec.profileRef !== undefined && session.spec.profileRef.mode !== 'ReadOnly';
    memory.collect = { state: 'running' };
    background.start(`collect ${session.metadata.uid}`, async (signal) => {
      let words = '';
      let profileSaved = false;
      try {
        const request = {
          tenant: tenant?.metadata.name ?? session.status?.tenant ?? '',
          namespace: session.metadata.namespace ?? '',
          sessionName: session.metadata.name,
          sessionUid: session.metadata.uid,
          podUid: pod.metadata.uid,
          podIP: pod.status?.podIP ?? '',
          ...(writes && { profile: session.spec.profileRef!.name }),
        };
        const result = await keeper.collect(request, AbortSignal.any([signal, AbortSignal.timeout(COLLECT_MS)]));
        profileSaved = result.profileVersion !== null;
        words = result.lost.length === 0 ? '' : `not saved: ${result.lost.join('; ')}`;
      } catch (error) {
        if (signal.aborted) throw error;
        words = `what the pod kept was not saved: ${error instanceof Error ? error.message : String(error)}`;
      }
      memory.collect = { state: 'done', words, profileSaved };
      wake(session);
    });
  }

  return async (effect, subject, signal) => {
    const { session, pool, memory } = subject;
    switch (effect.do) {
      case 'addFinalizer':
        await sessions.addFinalizer(session);
        return GO;
      case 'removeFinalizer':
        await sessions.removeFinalizer(session);
        return GO;
      case 'deleteSession':
        await sessions.remove(session);
        return WAIT;
      case 'tombstone':
        options.tombstone(session, effect.words);
        return GO;
      case 'claimProfile':
        await sessions.claimProfile(session, new Date(now()).toISOString());
        return GO;
      case 'releaseProfile':
        await sessions.releaseProfile(session);
        return GO;
      case 'claimWarm':
        // Whether it was had or not, the next round sees it: a claimed pod, or no candidate.
        if (pool && (await pods.claimWarm(session, pool))) memory.assignedAt = now();
        return GO;
      case 'createPod': {
        const refused = pool ? await pods.createCold(session, pool) : undefined;
        if (refused) memory.createRefused = { ...refused, at: now() };
        else {
          delete memory.createRefused;
          memory.assignedAt = now();
        }
        return GO;
      }
      case 'deletePod':
        background.cancel(`door ${effect.pod.metadata.uid}`);
        await pods.remove(effect.pod, effect.graceSeconds);
        return GO;
      case 'awaitDoor':
        background.start(`door ${effect.pod.metadata.uid}`, async (stop) => {
          await door.awaitReady(effect.pod, stop);
          memory.doorReady = effect.pod.metadata.uid;
          wake(session);
        });
        return WAIT;
      case 'bind':
        return bind(subject, effect.pod, signal);
      case 'loadProfile':
        return loadProfile(subject, effect.pod, signal);
      case 'collect':
        collect(subject, effect.pod);
        return WAIT;
    }
    return effect satisfies never;
  };
}
