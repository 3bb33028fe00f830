import type { BrowserProfile } from '@podwright/api/kinds/profile';
import { FINALIZER, LABEL, OBJECT } from '@podwright/api/names';
import type { Client } from '@podwright/kube/client';
import type { EventRecorder } from '@podwright/kube/event-recorder';
import { isAlreadyExists, isConflict, isInvalid, isNotFound } from '@podwright/kube/kube-error';
import type { Log } from '@podwright/kube/reflector';
import { RESOURCE, keyOf } from '@podwright/kube/resource';
import { type PassFact, type WorkQueue, startWorkQueue } from '@podwright/kube/work-queue';
import type { Caches } from '../caches.ts';
import type { KeeperClient } from '../keeper-client.ts';
import { decideProfile } from './decide.ts';
import { holderState } from './holder.ts';

export function startProfileController(options: {
  client: Client;
  caches: Caches;
  keeper: Pick<KeeperClient, 'deleteProfile'>;
  events: EventRecorder;
  /** Where tombstones are left: the namespace of a profile may be on its way out itself. */
  releaseNamespace: string;
  prefix: string;
  onDone: (fact: PassFact) => void;
  now: () => number;
  log: Log;
}): { queue: WorkQueue; stop(): Promise<void> } {
  const { client, caches, now } = options;

  /** The keeper works it off when it is there again. */
  async function leaveTombstone({ metadata }: BrowserProfile): Promise<void> {
    const { namespace = '', name, uid } = metadata;
    const tombstone = {
      metadata: {
        namespace: options.releaseNamespace,
        name: OBJECT.profileTombstone(options.prefix, uid),
        labels: { [LABEL.tombstone]: 'profile', 'app.kubernetes.io/name': 'podwright' },
      },
      data: { namespace, name, uid },
    };
    await client.create(RESOURCE.configMaps, tombstone).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }

  async function work(key: string, signal: AbortSignal): Promise<{ at?: number | undefined }> {
    const profile = caches.profiles.store.get(key);
    if (!profile) return {};
    const { namespace, name, resourceVersion, finalizers = [] } = profile.metadata;
    const target = { namespace, name };
    const plan = decideProfile({ profile, holder: holderState(profile, caches.sessions.store), now: now() });
    const setFinalizers = async (next: string[]): Promise<void> => {
      const body = { metadata: { resourceVersion, finalizers: next } };
      await client.patch(RESOURCE.browserProfiles, target, { type: 'merge', body }).catch(ignoreChanged);
    };
    switch (plan.do) {
      case 'nothing':
        break;
      case 'addFinalizer':
        await setFinalizers([...finalizers, FINALIZER]);
        break;
      case 'release': {
        const uid = profile.status!.holder!.sessionUID;
        const test = { op: 'test', path: '/status/holder/sessionUID', value: uid } as const;
        const body = [test, { op: 'remove' as const, path: '/status/holder' }];
        await client
          .patch(RESOURCE.browserProfiles, target, { type: 'json', body }, { subresource: 'status' })
          .catch(ignoreChanged);
        break;
      }
      case 'deleteBytes': {
        const lost = await options.keeper
          .deleteProfile(
            { namespace: namespace ?? '', name, uid: profile.metadata.uid },
            AbortSignal.any([signal, AbortSignal.timeout(15_000)]),
          )
          .then(
            () => undefined,
            (error: unknown) => (error instanceof Error ? error.message : String(error)),
          );
        if (lost !== undefined && !plan.letGo) throw new Error(`the bytes of profile ${key} were not deleted: ${lost}`);
        if (lost !== undefined) {
          await leaveTombstone(profile);
          const note = `let go after five minutes; the keeper deletes its bytes when it can: ${lost}`;
          options.events.record(profile, { type: 'Warning', reason: 'BytesLeft', action: 'Delete', note });
        }
        await setFinalizers(finalizers.filter((finalizer) => finalizer !== FINALIZER));
        break;
      }
    }
    return { at: plan.at };
  }

  const queue = startWorkQueue({ ...options, name: 'profiles', work, concurrency: 4 });
  const unsubscribe = [
    caches.profiles.onChange(({ object }) => queue.add(keyOf(object))),
    caches.sessions.onChange(({ object }) => {
      const { profileRef } = object.spec;
      if (profileRef) queue.add(`${object.metadata.namespace}/${profileRef.name}`);
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

/** Changed or gone meanwhile: the watch event that tells so brings the next pass. */
function ignoreChanged(error: unknown): void {
  if (!isNotFound(error) && !isConflict(error) && !isInvalid(error)) throw error;
}
