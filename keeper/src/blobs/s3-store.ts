import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  NoSuchKey,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BlobStore } from './blob-store.ts';
import { limitBytes } from './byte-limit.ts';

export interface S3Options {
  bucket: string;
  region: string;
  /** Absent: Amazon's own. */
  endpoint?: string | undefined;
  /** Bucket in the path instead of the host name, as most S3 servers of one's own want it. */
  forcePathStyle: boolean;
  /** Put before every key; ends with a slash when not empty. */
  prefix: string;
}

/**
 * Blobs in an S3 bucket. Credentials come from the environment, a file or the pod's identity, as the AWS SDK finds them.
 * A put is one PutObject, or a multipart upload that is completed last: readers never see half of it.
 */
export function createS3Store(options: S3Options): BlobStore & { close(): void } {
  const client = new S3Client({
    region: options.region,
    forcePathStyle: options.forcePathStyle,
    maxAttempts: 3,
    // Other S3 servers do not know the trailing checksums that the SDK adds unless told otherwise.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
  });
  const Bucket = options.bucket;
  const keyOf = (key: string): string => `${options.prefix}${key}`;

  return {
    async put(key, body, { maxBytes, signal }) {
      const counted = { bytes: 0 };
      const stream = new PassThrough();
      const abort = new AbortController();
      const upload = new Upload({
        client,
        params: { Bucket, Key: keyOf(key), Body: stream },
        queueSize: 2,
        abortController: abort,
      });
      const stop = (): void => abort.abort(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      const feeding = pipeline(limitBytes(body, maxBytes, counted), stream, { signal }).catch((error: unknown) => {
        // Too large or gone away: the upload must not be completed with what came so far.
        abort.abort(error);
        throw error;
      });
      try {
        const [fed, uploaded] = await Promise.allSettled([feeding, upload.done()]);
        if (fed.status === 'rejected') throw fed.reason;
        if (uploaded.status === 'rejected') throw uploaded.reason;
      } finally {
        signal.removeEventListener('abort', stop);
      }
      return { size: counted.bytes };
    },

    async get(key, signal) {
      try {
        const found = await client.send(new GetObjectCommand({ Bucket, Key: keyOf(key) }), { abortSignal: signal });
        if (!found.Body) return null;
        return { body: found.Body as Readable, size: found.ContentLength ?? 0 };
      } catch (error) {
        if (error instanceof NoSuchKey) return null;
        throw error;
      }
    },

    async list(prefix, { cursor, limit, signal }) {
      const page = await client.send(
        new ListObjectsV2Command({
          Bucket,
          Prefix: keyOf(prefix),
          MaxKeys: limit,
          ...(cursor === undefined ? {} : { StartAfter: keyOf(cursor) }),
        }),
        { abortSignal: signal },
      );
      const blobs = (page.Contents ?? []).map((entry) => ({
        key: (entry.Key ?? '').slice(options.prefix.length),
        size: entry.Size ?? 0,
        lastModified: entry.LastModified ?? new Date(0),
      }));
      return { blobs, nextCursor: page.IsTruncated === true ? (blobs.at(-1)?.key ?? null) : null };
    },

    async delete(key, signal) {
      await client.send(new DeleteObjectCommand({ Bucket, Key: keyOf(key) }), { abortSignal: signal });
    },

    async check(signal) {
      await client.send(new HeadBucketCommand({ Bucket }), { abortSignal: signal });
    },

    close: () => client.destroy(),
  };
}
