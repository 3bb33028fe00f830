import { ApiError } from '@podwright/api/errors';
import type { KeeperMetrics } from '../metrics.ts';
import type { BlobStore } from './blob-store.ts';

/** A store that counts what it does. An ApiError is the caller's doing and counts as no error of the store. */
export function measured(store: BlobStore, metrics: KeeperMetrics): BlobStore {
  const timed = async <T>(operation: string, work: Promise<T>): Promise<T> => {
    const end = metrics.blobSeconds.startTimer({ operation });
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof ApiError)) metrics.blobErrors.inc({ operation });
      throw error;
    } finally {
      end();
    }
  };
  return {
    async put(key, body, options) {
      const result = await timed('put', store.put(key, body, options));
      metrics.blobBytes.inc({ direction: 'written' }, result.size);
      return result;
    },
    async get(key, signal) {
      const found = await timed('get', store.get(key, signal));
      if (found) metrics.blobBytes.inc({ direction: 'read' }, found.size);
      return found;
    },
    list: (prefix, options) => timed('list', store.list(prefix, options)),
    delete: (key, signal) => timed('delete', store.delete(key, signal)),
    check: (signal) => timed('check', store.check(signal)),
  };
}
