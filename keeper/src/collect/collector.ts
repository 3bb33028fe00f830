import { ApiError } from '@podwright/api/errors';
import type { CollectRequest, CollectResponse } from '@podwright/api/internal-doors';
import { safeText } from '@podwright/api/safe-text';
import { blobKey, keyProblem } from '../blobs/blob-key.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { PullProfile } from '../profiles/profile-puller.ts';
import type { PodAddress, PodDoorClient } from './pod-door-client.ts';

/** What one session may leave behind. */
export interface CollectLimits {
  files: number;
  fileBytes: number;
  totalBytes: number;
}

export const COLLECT_LIMITS: CollectLimits = {
  files: 1000,
  fileBytes: 512 * 1024 * 1024,
  totalBytes: 2 * 1024 * 1024 * 1024,
};

export interface Collector {
  collect(request: CollectRequest, signal: AbortSignal): Promise<CollectResponse>;
}

/**
 * Pulls what a session leaves: first its login state, which is small and worth most, then its downloads, stored as
 * `<session uid>/<path>`. What cannot be stored for good is named in `lost`; a store that is not there at the moment
 * rejects as a whole, so that the caller asks again while the pod still waits. The pod is released at the end.
 */
export function createCollector(options: {
  blobs: BlobStore;
  pullProfile: PullProfile;
  pod: (address: PodAddress) => PodDoorClient;
  limits: CollectLimits;
}): Collector {
  const { blobs, pullProfile, limits } = options;

  async function collectProfile(request: CollectRequest, session: PodAddress, lost: string[], signal: AbortSignal) {
    if (request.profile === undefined) return null;
    try {
      const id = { namespace: request.namespace, name: request.profile };
      const { version, missing } = await pullProfile({ id, session }, signal);
      if (missing.length > 0) lost.push(`profile ${request.profile}: ${missing.join(', ')}`);
      return version;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      lost.push(`profile ${request.profile}: ${error.message}`);
      return null;
    }
  }

  async function collectDownloads(request: CollectRequest, pod: PodDoorClient, lost: string[], signal: AbortSignal) {
    const files = await pod.listDownloads(signal).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      lost.push(`downloads: ${error.message}`);
      return [];
    });
    if (files.length > limits.files)
      lost.push(`downloads: only the first ${limits.files} of ${files.length} were kept`);
    let stored = 0;
    let bytesLeft = limits.totalBytes;
    for (const { path } of files.slice(0, limits.files)) {
      const problem = keyProblem(path);
      if (problem !== null) {
        lost.push(`download ${safeText(path, 80)}: ${problem}`);
        continue;
      }
      const key = blobKey(request.tenant, 'downloads', `${request.sessionUid}/${path}`);
      try {
        const body = await pod.download(path, signal);
        const maxBytes = Math.min(limits.fileBytes, bytesLeft);
        const { size } = await blobs.put(key, body, { maxBytes, signal });
        bytesLeft -= size;
        stored += 1;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        lost.push(`download ${safeText(path, 80)}: ${error.message}`);
      }
    }
    return stored;
  }

  return {
    async collect(request, signal) {
      const session = { podIP: request.podIP, podUid: request.podUid, sessionUid: request.sessionUid };
      const pod = options.pod(session);
      const lost: string[] = [];
      const profileVersion = await collectProfile(request, session, lost, signal);
      const downloads = await collectDownloads(request, pod, lost, signal);
      // The pod would end by itself after its grace; a lost message costs only that wait.
      await pod.markCollected(signal).catch(() => undefined);
      return { downloads, profileVersion, lost };
    },
  };
}
