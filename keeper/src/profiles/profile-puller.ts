import type { PodAddress, PodDoorClient } from '../collect/pod-door-client.ts';
import { createKeyedQueue } from './keyed-queue.ts';
import type { ProfileKeeper, SaveResult } from './profile-keeper.ts';
import type { ProfileName } from './profile-objects.ts';

/** Reads the login state of a pod and saves it as the session that the pod serves. Throws what either side throws. */
export type PullProfile = (
  request: { id: ProfileName; session: PodAddress },
  signal: AbortSignal,
) => Promise<SaveResult>;

/**
 * One pull of a profile at a time, reading and saving together: of two that overlapped the one that read first could
 * be saved last, and the end of a session would be overwritten by its middle.
 */
export function createProfilePuller(options: {
  profiles: Pick<ProfileKeeper, 'saveFromSession'>;
  pod: (address: PodAddress) => Pick<PodDoorClient, 'readProfile'>;
  /** Told of every pull, for metrics. */
  pulled: (outcome: SaveResult['outcome'] | 'failed') => void;
}): PullProfile {
  const inOrder = createKeyedQueue();
  return (request, signal) =>
    inOrder(`${request.id.namespace}/${request.id.name}`, async () => {
      const { id, session } = request;
      signal.throwIfAborted();
      try {
        const state = await options.pod(session).readProfile(signal);
        const result = await options.profiles.saveFromSession(id, { uid: session.sessionUid, state }, signal);
        options.pulled(result.outcome);
        return result;
      } catch (error) {
        options.pulled('failed');
        throw error;
      }
    });
}
