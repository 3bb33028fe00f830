import { describe, expect, test } from 'vitest';
import { readConfig } from './config.ts';

const enough = { PODWRIGHT_NAMESPACE: 'system', PODWRIGHT_BLOB_DIR: '/var/lib/podwright/blobs' };

describe('the environment of the keeper', () => {
  test('is enough with a namespace and a place for blobs', () => {
    expect(readConfig(enough)).toMatchObject({
      installation: 'podwright',
      blobs: { type: 'directory', root: '/var/lib/podwright/blobs' },
      port: 8082,
      metricsPort: 9090,
    });
  });

  test('can name a bucket, and empty variables count as absent', () => {
    const env = { ...enough, PODWRIGHT_BLOB_DIR: '', PODWRIGHT_S3_BUCKET: 'blobs', PODWRIGHT_S3_ENDPOINT: '' };
    expect(readConfig({ ...env, PODWRIGHT_S3_FORCE_PATH_STYLE: 'true' }).blobs).toEqual({
      type: 's3',
      bucket: 'blobs',
      region: 'us-east-1',
      endpoint: undefined,
      forcePathStyle: true,
      prefix: '',
    });
  });

  test('names every problem at once', () => {
    const read = () => readConfig({ PODWRIGHT_LOG_LEVEL: 'loud', PODWRIGHT_KEEPER_PORT: 'http' });
    expect(read).toThrow('PODWRIGHT_NAMESPACE');
    expect(read).toThrow('PODWRIGHT_LOG_LEVEL');
    expect(read).toThrow('PODWRIGHT_KEEPER_PORT');
    expect(read).toThrow('set one of PODWRIGHT_BLOB_DIR and PODWRIGHT_S3_BUCKET');
  });

  test('does not take two places for blobs', () => {
    expect(() => readConfig({ ...enough, PODWRIGHT_S3_BUCKET: 'blobs' })).toThrow('set one of');
  });
});
