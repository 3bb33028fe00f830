import type { BrowserSession } from '@podwright/api/kinds/session';
import { FIELD_MANAGER } from '@podwright/api/names';
import type { Client } from '@podwright/kube/client';
import { isConflict, isInvalid, isNotFound } from '@podwright/kube/kube-error';
import type { Log } from '@podwright/kube/reflector';
import { RESOURCE, keyOf } from '@podwright/kube/resource';
import type { Background } from '../background.ts';
import type { Caches } from '../caches.ts';
import type { PodDoor } from '../pods/pod-door.ts';
import { type WantedPlace, isParkedOnPaper, isUnused, missingPlaces, parkedFor } from './parked.ts';

/** Lets parked browsers give way to sessions of the same tenant that wait. The pod has the last word. */
export interface Replacer {
  /** What is wanted now; what was wanted before and is not any more is dropped. */
  want(places: readonly WantedPlace[]): void;
  stop(): void;
}

/** A browser that somebody left this long ago at least: a client that connects again is not to find it gone. */
const UNUSED_MS = 10_000;
/** One that was found in use, or could not be asked, is not asked again before. */
const REST_MS = 30_000;

export function createReplacer(options: {
  client: Client;
  caches: Caches;
  door: Pick<PodDoor, 'status' | 'quiesce'>;
  background: Background;
  now: () => number;
  log: Log;
}): Replacer {
  const { client, caches, door, background, now, log } = options;
  let wanted: readonly WantedPlace[] = [];
  const restUntil = new Map<string, number>();

  /** True: it was unused, refuses new work now, and is asked to stop. */
  async function giveWay(session: BrowserSession, signal: AbortSignal): Promise<boolean> {
    const { uid } = session.metadata;
    const pod = caches.pods.store.getByUid(session.status?.podUID ?? '');
    if (!pod) return false;
    const told = await door.status(pod, uid, signal);
    if (!isUnused(told)) return false;
    const { quiet } = await door.quiesce(pod, uid, UNUSED_MS, signal);
    const latest = caches.sessions.store.getByUid(uid);
    // A run may have come between the question and its answer; the pod refuses work only for a while.
    if (!quiet || !latest || !isParkedOnPaper(latest, now())) return false;
    return stop(latest);
  }

  async function stop({ metadata }: BrowserSession): Promise<boolean> {
    const { namespace, name, uid, resourceVersion } = metadata;
    const at = new Date(now()).toISOString();
    const spec = { stop: { reason: 'Replaced', by: 'operator', at } };
    // The version guards against a run, a stop or another object of the name that came meanwhile.
    const patch = { type: 'merge', body: { metadata: { resourceVersion }, spec } } as const;
    const how = { fieldManager: FIELD_MANAGER.operator };
    try {
      caches.sessions.remember(await client.patch(RESOURCE.browserSessions, { namespace, name }, patch, how));
      log.info({ session: `${namespace}/${name}`, uid }, 'a parked browser gives way');
      return true;
    } catch (error) {
      if (isNotFound(error) || isConflict(error) || isInvalid(error)) return false;
      throw error;
    }
  }

  async function serve(place: WantedPlace, signal: AbortSignal): Promise<void> {
    const active = (): BrowserSession[] => caches.sessions.store.by('stageInNamespace', `active/${place.namespace}`);
    for (const session of parkedFor(place, active(), now())) {
      // Somebody ended by himself, or nobody waits any more.
      const current = wanted.find((one) => isSame(one, place));
      if (!current || missingPlaces(current, active()) === 0) return;
      const { uid } = session.metadata;
      if ((restUntil.get(uid) ?? 0) > now()) continue;
      const gave = await giveWay(session, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        log.info({ session: keyOf(session), err: error }, 'a parked browser could not be asked');
        return false;
      });
      if (!gave) restUntil.set(uid, now() + REST_MS);
    }
  }

  function look(): void {
    for (const [uid, until] of restUntil) if (until <= now()) restUntil.delete(uid);
    for (const place of wanted) {
      background.start(`replace ${place.pool ?? place.namespace}`, (signal) => serve(place, signal));
    }
  }
  // That somebody left a browser is told by no event.
  const timer = setInterval(look, REST_MS / 2);

  return {
    want(places) {
      wanted = places;
      look();
    },
    stop: () => clearInterval(timer),
  };
}

const isSame = (a: WantedPlace, b: WantedPlace): boolean => a.namespace === b.namespace && a.pool === b.pool;
