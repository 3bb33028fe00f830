import { createBackoff } from './backoff.ts';
import { type Client } from './client.ts';
import { errorFields, isAlreadyExists, isConflict, isNotFound } from './kube-error.ts';
import type { Lease } from './objects.ts';
import type { Log } from './reflector.ts';
import { RESOURCE } from './resource.ts';
import { sleep } from './sleep.ts';

/** Thrown by `assertHeld`: this process may not write any more. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/**
 * One holder at a time among replicas. The API server offers no fencing token that writes could carry, so the fence is:
 * every renewal is guarded by resourceVersion, and whoever writes asks `assertHeld` right before; a holder that could
 * not renew stops counting itself as holder one renewal before anybody else may take over.
 */
export interface LeaseHold {
  /** True while this process may act. Measured on a clock that does not jump. */
  held(): boolean;
  /** Throws LeaseLostError when `held` is false. */
  assertHeld(): void;
  /** How often the lease changed hands: grows with every new holder. */
  readonly transitions: number;
  /**
   * Aborts when somebody else has it, or when it was released. The owner then ends its process or its work.
   * A renewal that comes too late does not abort it: nothing was written in between, and the guard on the version
   * proves that nobody else was holder. So a slow API server stops the writes and restarts nobody.
   */
  readonly lost: AbortSignal;
  /** Gives the lease back at once (SIGTERM), so that the next holder does not wait. */
  release(): Promise<void>;
}

export interface LeaseOptions {
  client: Client;
  namespace: string;
  name: string;
  /** Must differ between processes: pod name and a random part. */
  identity: string;
  log: Log;
  /** Without a renewal for this long others take over. Default 4 s: with what it takes to notice, less than 5 s. */
  durationMs?: number;
  /** Default 1 s. */
  renewMs?: number;
  /** Milliseconds on a monotonic clock, for example `performance.now`. */
  monotonic: () => number;
  now: () => number;
}

/** Waits until this process holds the lease; rejects when `signal` aborts first. */
export async function acquireLease(options: LeaseOptions, signal: AbortSignal): Promise<LeaseHold> {
  const { client, log, monotonic } = options;
  const durationMs = options.durationMs ?? 4_000;
  const renewMs = options.renewMs ?? 1_000;
  const target = { namespace: options.namespace, name: options.name };
  // Two slow answers in a row must not cost the lease.
  const call = { timeoutMs: Math.max(500, 1.5 * renewMs) };
  const retry = createBackoff({ firstMs: renewMs / 10, maxMs: renewMs });

  const body = (transitions: number, acquireTime: string, resourceVersion?: string): Lease =>
    ({
      metadata: { ...target, ...(resourceVersion !== undefined && { resourceVersion }) },
      spec: {
        holderIdentity: options.identity,
        leaseDurationSeconds: Math.max(1, Math.ceil(durationMs / 1000)),
        acquireTime,
        renewTime: microTime(options.now()),
        leaseTransitions: transitions,
      },
    }) as Lease;

  /** Takes the lease when it is free, ours, or was not renewed for its duration *as seen from here*: clocks may differ. */
  async function tryTake(seen: { version: string; at: number } | undefined): Promise<Lease | { version: string }> {
    const current = await client.find(RESOURCE.leases, target, call);
    const acquired = microTime(options.now());
    if (!current) return client.create(RESOURCE.leases, body(0, acquired), call);
    const version = current.metadata.resourceVersion;
    const holder = current.spec?.holderIdentity ?? '';
    const expired = seen?.version === version && monotonic() - seen.at >= durationMs;
    if (holder !== '' && holder !== options.identity && !expired) return { version };
    const transitions = (current.spec?.leaseTransitions ?? 0) + (holder === options.identity ? 0 : 1);
    return client.update(RESOURCE.leases, body(transitions, acquired, version), call);
  }

  let seen: { version: string; at: number } | undefined;
  let lease: Lease | undefined;
  let renewedAt = 0;
  while (!lease) {
    signal.throwIfAborted();
    const startedAt = monotonic();
    try {
      const result = await tryTake(seen);
      if ('metadata' in result) [lease, renewedAt] = [result, startedAt];
      else if (seen?.version !== result.version) seen = { version: result.version, at: startedAt };
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error))
        log.warn({ ...errorFields(error), lease: options.name }, 'lease');
    }
    if (!lease) {
      const untilExpired = seen === undefined ? Infinity : seen.at + durationMs - monotonic();
      await sleep(Math.max(10, Math.min(renewMs / 4, untilExpired)), signal);
    }
  }
  let current = lease;
  log.info({ lease: options.name, transitions: current.spec?.leaseTransitions }, 'lease taken');

  const lost = new AbortController();
  const released = new AbortController();
  const held = (): boolean => !lost.signal.aborted && monotonic() - renewedAt < durationMs - renewMs;

  async function renew(): Promise<void> {
    let pauseMs = renewMs;
    let failures = 0;
    while (!lost.signal.aborted) {
      await sleep(pauseMs, released.signal);
      pauseMs = renewMs;
      const startedAt = monotonic();
      try {
        const { acquireTime, leaseTransitions } = current.spec ?? {};
        const next = body(leaseTransitions ?? 0, acquireTime ?? '', current.metadata.resourceVersion);
        current = await client.update(RESOURCE.leases, next, call);
        renewedAt = startedAt;
        if (failures > 0) log.info({ lease: options.name, failures }, 'lease is renewed again');
        failures = 0;
        retry.reset();
      } catch (error) {
        pauseMs = retry.next();
        // The first failure is news; that it goes on shows by the silence after it.
        if (failures === 0) log.warn({ ...errorFields(error), lease: options.name }, 'lease was not renewed');
        failures += 1;
        // Someone else wrote it, or our own answer got lost on its way: look who holds it.
        if (isConflict(error) || isNotFound(error)) {
          const found = await client.find(RESOURCE.leases, target, call).catch(() => null);
          if (found === null) continue;
          if (found?.spec?.holderIdentity === options.identity) current = found;
          else lost.abort(new LeaseLostError(`${options.name} is held by ${found?.spec?.holderIdentity ?? 'nobody'}`));
        }
      }
    }
  }
  const renewing = renew().catch(() => {});

  return {
    held,
    assertHeld() {
      if (!held()) throw new LeaseLostError(`${options.name} is not held any more`);
    },
    get transitions() {
      return current.spec?.leaseTransitions ?? 0;
    },
    lost: lost.signal,
    async release() {
      const wasHeld = held();
      lost.abort(new LeaseLostError(`${options.name} was released`));
      released.abort(lost.signal.reason);
      await renewing;
      if (!wasHeld) return;
      const free = { ...current, spec: { ...current.spec, holderIdentity: '', leaseDurationSeconds: 1 } };
      await client.update(RESOURCE.leases, free, call).catch((error: unknown) => {
        log.warn({ ...errorFields(error), lease: options.name }, 'lease was not released; it runs out by itself');
      });
    },
  };
}

const microTime = (milliseconds: number): string => new Date(milliseconds).toISOString().replace('Z', '000Z');
