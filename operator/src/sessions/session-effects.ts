import type { BrowserSession } from '@podwright/api/kinds/session';
import { FIELD_MANAGER, FINALIZER } from '@podwright/api/names';
import { applyStatus } from '@podwright/kube/apply-status';
import type { Client, Patch } from '@podwright/kube/client';
import { isConflict, isInvalid, isNotFound } from '@podwright/kube/kube-error';
import { RESOURCE } from '@podwright/kube/resource';
import type { Caches } from '../caches.ts';
import type { OperatorStatus } from './observation.ts';
import { saysTheSame } from './worth-writing.ts';

export interface SessionEffects {
  /** Status by server-side apply under the operator's own field manager; the gateway's fields are not touched. */
  writeStatus(session: BrowserSession, status: OperatorStatus): Promise<void>;
  addFinalizer(session: BrowserSession): Promise<void>;
  removeFinalizer(session: BrowserSession): Promise<void>;
  remove(session: BrowserSession): Promise<void>;
  /** Guarded by resourceVersion: of two sessions one gets the profile. False: somebody else was faster. */
  claimProfile(session: BrowserSession, heldSince: string): Promise<boolean>;
  releaseProfile(session: BrowserSession): Promise<void>;
}

export function createSessionEffects(options: {
  client: Client;
  caches: Pick<Caches, 'sessions' | 'profiles'>;
}): SessionEffects {
  const { client, caches } = options;
  const targetOf = ({ metadata }: BrowserSession) => ({ namespace: metadata.namespace, name: metadata.name });

  /** Changes the list of finalizers, which a merge patch replaces as a whole: hence the guard, and another look when it hits. */
  async function changeFinalizers(session: BrowserSession, change: (present: string[]) => string[]): Promise<void> {
    let current: BrowserSession | undefined = session;
    for (let attempt = 0; current !== undefined && current.metadata.uid === session.metadata.uid; attempt += 1) {
      const present = current.metadata.finalizers ?? [];
      const finalizers = change(present);
      if (finalizers.length === present.length) return;
      const { resourceVersion } = current.metadata;
      try {
        const body = { metadata: { resourceVersion, finalizers } };
        const changed = await client.patch(RESOURCE.browserSessions, targetOf(session), { type: 'merge', body });
        // Without its last finalizer a deleted object is gone with this very write.
        const gone = finalizers.length === 0 && changed.metadata.deletionTimestamp !== undefined;
        if (gone) caches.sessions.forget(changed);
        else caches.sessions.remember(changed);
        return;
      } catch (error) {
        if (isNotFound(error)) return;
        if (!isConflict(error) || attempt >= 5) throw error;
        current = await client.find(RESOURCE.browserSessions, targetOf(session));
      }
    }
  }

  const profileTarget = (session: BrowserSession) => ({
    namespace: session.metadata.namespace,
    name: session.spec.profileRef?.name ?? '',
  });

  return {
    async writeStatus(session, status) {
      const written = await applyStatus(client, RESOURCE.browserSessions, session, status, {
        fieldManager: FIELD_MANAGER.operator,
        // A stop that is latched already must not be latched again at another instant.
        isUnchanged(current) {
          caches.sessions.remember(current);
          return saysTheSame(current.status, session.status);
        },
      });
      if (written) caches.sessions.remember(written);
    },
    addFinalizer: (session) =>
      changeFinalizers(session, (present) => (present.includes(FINALIZER) ? present : [...present, FINALIZER])),
    removeFinalizer: (session) =>
      changeFinalizers(session, (present) => present.filter((finalizer) => finalizer !== FINALIZER)),
    async remove(session) {
      const { uid } = session.metadata;
      await client.delete(RESOURCE.browserSessions, targetOf(session), { uid }).catch(async (error: unknown) => {
        if (!isConflict(error)) throw error;
        const current = await client.find(RESOURCE.browserSessions, targetOf(session));
        if (current?.metadata.uid === uid) throw error;
      });
    },
    async claimProfile(session, heldSince) {
      const target = profileTarget(session);
      const profile = caches.profiles.store.get(`${target.namespace}/${target.name}`);
      if (!profile) return false;
      const holder = { sessionName: session.metadata.name, sessionUID: session.metadata.uid, since: heldSince };
      const body = {
        metadata: { resourceVersion: profile.metadata.resourceVersion },
        status: { holder, writerEpoch: (profile.status?.writerEpoch ?? 0) + 1 },
      };
      try {
        const patch = { type: 'merge', body } as const;
        caches.profiles.remember(
          await client.patch(RESOURCE.browserProfiles, target, patch, { subresource: 'status' }),
        );
        return true;
      } catch (error) {
        if (isNotFound(error)) caches.profiles.forget(profile);
        else if (isConflict(error)) {
          const current = await client.find(RESOURCE.browserProfiles, target);
          if (current) caches.profiles.remember(current);
        } else throw error;
        return false;
      }
    },
    async releaseProfile(session) {
      const body: Extract<Patch, { type: 'json' }>['body'] = [
        { op: 'test', path: '/status/holder/sessionUID', value: session.metadata.uid },
        { op: 'remove', path: '/status/holder' },
      ];
      try {
        const patch = { type: 'json', body } as const;
        const call = { subresource: 'status' };
        caches.profiles.remember(await client.patch(RESOURCE.browserProfiles, profileTarget(session), patch, call));
      } catch (error) {
        // Gone, or held by another by now: then nothing of ours is left to release.
        if (!isNotFound(error) && !isInvalid(error)) throw error;
      }
    },
  };
}
