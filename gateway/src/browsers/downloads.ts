import type { BrowserSession } from '@podwright/api/kinds/session';
import type { DownloadList, ListDownloadsQuery } from '@podwright/api/v3/browsers';
import type { KeeperClient } from '../keeper-client.ts';
import type { PodClient } from '../pod-client.ts';
import { readyPodOf } from '../sessions/session-state.ts';

/** Files a browser downloaded: from the pod while it lives, from the store afterwards. */
export interface Downloads {
  list(tenant: string, session: BrowserSession, query: ListDownloadsQuery): Promise<DownloadList>;
}

const DEFAULT_LIMIT = 50;
const URL_LIFE_SECONDS = 60;

export function createDownloads(options: { keeper: KeeperClient; pods: PodClient }): Downloads {
  const { keeper, pods } = options;

  return {
    async list(tenant, session, query) {
      const limit = query.limit ?? DEFAULT_LIMIT;
      const { uid } = session.metadata;
      const pod = readyPodOf(session);
      if (pod) {
        const { files } = await pods.downloads(pod, uid);
        return pageOf(
          files.filter(({ path }) => isSafePath(path)),
          limit,
          query.cursor,
        );
      }
      const prefix = `${uid}/`;
      const cursor = query.cursor === undefined ? {} : { cursor: query.cursor };
      const { blobs, nextCursor } = await keeper.list(tenant, 'downloads', { prefix, limit, ...cursor });
      const files = await Promise.all(
        blobs.map(async ({ name, size, lastModified }) => ({
          path: name.startsWith(prefix) ? name.slice(prefix.length) : name,
          size,
          lastModified,
          url: query.includeUrls ? await keeper.presign(tenant, 'downloads', name, URL_LIFE_SECONDS) : null,
        })),
      );
      return { files, nextCursor, hasMore: nextCursor !== null };
    },
  };
}

/** A pod's listing is not paged: it is cut here, by path. */
function pageOf(
  files: readonly { path: string; size: number; lastModified: string }[],
  limit: number,
  cursor: string | undefined,
): DownloadList {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const from = cursor === undefined ? sorted : sorted.filter(({ path }) => path > cursor);
  const page = from.slice(0, limit);
  const hasMore = from.length > page.length;
  return {
    files: page.map(({ path, size, lastModified }) => ({ path, size, lastModified, url: null })),
    nextCursor: hasMore ? (page.at(-1)?.path ?? null) : null,
    hasMore,
  };
}

/** Relative and without a way out: SDKs refuse any other, and so does everybody else. */
const isSafePath = (path: string): boolean =>
  path !== '' && !path.startsWith('/') && !path.includes('\\') && !path.split('/').includes('..');
