import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

export interface KeeperMetrics {
  registry: Registry;
  requests: Histogram<'route' | 'status'>;
  blobSeconds: Histogram<'operation'>;
  blobErrors: Counter<'operation'>;
  blobBytes: Counter<'direction'>;
  collections: Counter<'outcome'>;
  profilePulls: Counter<'outcome'>;
  profilesByKey: Gauge<'state'>;
}

export function createMetrics(): KeeperMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    requests: new Histogram({
      name: 'podwright_keeper_request_seconds',
      help: 'Requests to the keeper by route and status.',
      labelNames: ['route', 'status'],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
      registers,
    }),
    blobSeconds: new Histogram({
      name: 'podwright_blob_seconds',
      help: 'Operations on the blob store.',
      labelNames: ['operation'],
      buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
      registers,
    }),
    blobErrors: new Counter({
      name: 'podwright_blob_errors_total',
      help: 'Operations on the blob store that failed because of the store.',
      labelNames: ['operation'],
      registers,
    }),
    blobBytes: new Counter({
      name: 'podwright_blob_bytes_total',
      help: 'Bytes written to and read from the blob store.',
      labelNames: ['direction'],
      registers,
    }),
    profilePulls: new Counter({
      name: 'podwright_profile_pulls_total',
      help: 'Login states pulled from pods, at the stop and in between: saved, unchanged or failed.',
      labelNames: ['outcome'],
      registers,
    }),
    profilesByKey: new Gauge({
      name: 'podwright_profile_data_keys',
      help: 'Profiles met by the last round of rewrapping: current (wrapped by the current key), or failed.',
      labelNames: ['state'],
      registers,
    }),
    collections: new Counter({
      name: 'podwright_collections_total',
      help: 'Stopped sessions whose downloads and login state were pulled: complete, or partial when something was lost.',
      labelNames: ['outcome'],
      registers,
    }),
  };
}
