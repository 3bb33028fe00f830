import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserSession } from '@podwright/api/kinds/session';
import { GROUP_VERSION } from '@podwright/api/names';
import type { Client } from '@podwright/kube/client';
import { startReflector } from '@podwright/kube/reflector';
import { RESOURCE } from '@podwright/kube/resource';
import { silent } from '../../harness/kube.ts';

/** Sessions of the bench: made at a rate, timed from before the create to the watch event that says Ready. */
export interface Load {
  /** Creates `count` sessions at `perSecond`, spread over the tenants, and resolves when each is Ready or has ended. */
  create(count: number, perSecond: number): Promise<{ milliseconds: number[]; failed: string[]; warm: number }>;
  /** Stops and deletes the `count` oldest at `perSecond`; resolves when all are gone. */
  remove(count: number, perSecond: number): Promise<void>;
  readonly ready: number;
  stop(): Promise<void>;
}

const PATIENCE_MS = 120_000;

export async function startLoad(options: { client: Client; namespaces: string[] }): Promise<Load> {
  const { client, namespaces } = options;
  interface Waiting {
    startedAt: number;
    done: (milliseconds: number | string, warm: boolean) => void;
  }
  const waiting = new Map<string, Waiting>();
  const leaving = new Map<string, () => void>();
  /** Names by age. */
  const alive = new Set<string>();
  let number = 0;
  const key = ({ metadata }: BrowserSession): string => `${metadata.namespace}/${metadata.name}`;

  const sessions = startReflector({ client, resource: RESOURCE.browserSessions, now: Date.now, log: silent });
  sessions.onChange(({ type, object }) => {
    const name = key(object);
    if (type === 'removed') {
      leaving.get(name)?.();
      leaving.delete(name);
      return;
    }
    const { phase, reason, start } = object.status ?? {};
    const wait = waiting.get(name);
    if (!wait || phase === undefined || phase === 'Queued' || phase === 'Starting') return;
    waiting.delete(name);
    wait.done(phase === 'Ready' ? performance.now() - wait.startedAt : `${phase}/${reason}`, start === 'warm');
  });
  await sessions.synced(AbortSignal.timeout(60_000));

  /** Calls `act` so often a second, without waiting for one before the next. */
  async function paced(count: number, perSecond: number, act: (index: number) => Promise<void>): Promise<void> {
    const startedAt = performance.now();
    const acts: Promise<void>[] = [];
    for (let index = 0; index < count; index += 1) {
      const at = startedAt + (index * 1000) / perSecond;
      if (at > performance.now()) await sleep(at - performance.now());
      acts.push(act(index));
    }
    await Promise.all(acts);
  }

  return {
    async create(count, perSecond) {
      const milliseconds: number[] = [];
      const failed: string[] = [];
      let warm = 0;
      await paced(count, perSecond, async () => {
        number += 1;
        const namespace = namespaces[number % namespaces.length]!;
        const name = `s-${number}`;
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(
          () => waiting.get(`${namespace}/${name}`)?.done('not Ready in time', false),
          PATIENCE_MS,
        );
        waiting.set(`${namespace}/${name}`, {
          startedAt: performance.now(),
          done(outcome, isWarm) {
            clearTimeout(timer);
            if (typeof outcome === 'number') milliseconds.push(outcome);
            else failed.push(`${name}: ${outcome}`);
            if (isWarm) warm += 1;
            resolve();
          },
        });
        const metadata = { name, namespace };
        await client.create(RESOURCE.browserSessions, {
          apiVersion: GROUP_VERSION,
          kind: 'BrowserSession',
          metadata,
          spec: {},
        });
        alive.add(`${namespace}/${name}`);
        await promise;
      });
      return { milliseconds, failed, warm };
    },
    async remove(count, perSecond) {
      const oldest = [...alive].slice(0, count);
      await paced(oldest.length, perSecond, async (index) => {
        const name = oldest[index]!;
        alive.delete(name);
        const gone = new Promise<void>((resolve) => {
          leaving.set(name, resolve);
          setTimeout(resolve, PATIENCE_MS).unref();
        });
        const [namespace, plain] = name.split('/') as [string, string];
        await client.delete(RESOURCE.browserSessions, { namespace, name: plain });
        await gone;
      });
    },
    get ready() {
      return sessions.store.list().filter(({ status }) => status?.phase === 'Ready').length;
    },
    stop: () => sessions.stop(),
  };
}
