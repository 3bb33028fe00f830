import { Readable } from 'node:stream';

/**
 * Where bytes are: a directory or an S3 bucket. Keys come from blob-key.ts and are checked there.
 * A blob appears whole or not at all; a second put of a key replaces it.
 */
export interface BlobStore {
  /** Stores `body`; more than `maxBytes` of it is ApiError `too_large`, and nothing is kept. */
  put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions): Promise<{ size: number }>;
  /** Null when there is no such blob. The caller reads `body` to its end or destroys it. */
  get(key: string, signal: AbortSignal): Promise<{ body: Readable; size: number } | null>;
  /** Blobs under `prefix` in the order of their keys, after `cursor` (a key) when one is given. */
  list(prefix: string, options: ListOptions): Promise<BlobPage>;
  /** Deleting what is not there is no error. */
  delete(key: string, signal: AbortSignal): Promise<void>;
  /** Rejects when the store cannot be used. */
  check(signal: AbortSignal): Promise<void>;
}

export interface PutOptions {
  maxBytes: number;
  signal: AbortSignal;
}

export interface ListOptions {
  cursor?: string | undefined;
  limit: number;
  signal: AbortSignal;
}

export interface BlobPage {
  blobs: { key: string; size: number; lastModified: Date }[];
  /** Key to go on after; null at the end. */
  nextCursor: string | null;
}

/** Deletes everything under `prefix`, page by page. */
export async function deleteAll(store: BlobStore, prefix: string, signal: AbortSignal): Promise<number> {
  let deleted = 0;
  for (;;) {
    const page = await store.list(prefix, { limit: 500, signal });
    for (const { key } of page.blobs) await store.delete(key, signal);
    deleted += page.blobs.length;
    if (page.nextCursor === null) return deleted;
  }
}

/** A whole blob of at most `maxBytes` in memory; null when there is none. */
export async function readWhole(
  store: BlobStore,
  key: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer | null> {
  const found = await store.get(key, signal);
  if (!found) return null;
  if (found.size > maxBytes) {
    found.body.destroy();
    throw new Error(`blob ${key} has ${found.size} bytes, more than the ${maxBytes} that were expected`);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of found.body) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** For callers that have the bytes in memory. */
export const bytesOf = (bytes: Uint8Array): AsyncIterable<Uint8Array> => Readable.from([bytes]);
