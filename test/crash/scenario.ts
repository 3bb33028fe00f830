import { TERMINAL_PHASES, type BrowserSession } from '@podwright/api/kinds/session';
import { ANNOTATION, GROUP_VERSION } from '@podwright/api/names';
import type { Client } from '@podwright/kube/client';
import type { Pod } from '@podwright/kube/objects';
import { type KubeObject, RESOURCE, type ResourceType } from '@podwright/kube/resource';
import { setTimeout as sleep } from 'node:timers/promises';
import { SLOW_POOL, type World } from './world.ts';

/** How a session ended: `phase/reason`, or `gone`. */
export type End = string;

/** What is left when a scenario has come to rest. */
export interface EndState {
  sessions: Record<string, End>;
  profile: End;
  /** Pods that still exist. */
  pods: string[];
  /** Objects that did not go when they were deleted at the very end. */
  stuck: string[];
  /** What did not happen in time. */
  late: string[];
}

export const namespacesOf = (name: string): string[] => [name, `${name}-full`];

const sandbox = { sandbox: { mode: 'Seccomp' as const } };

/**
 * The reference scenario in a tenant of its own: sessions with a warm and with a cold pod, one with a profile, one deleted
 * while it starts, one refused, one whose pod dies, and one that is there when the tenant is removed.
 * `stepMs` is how long each step may take; what takes longer is told as late.
 */
export async function runScenario(world: World, name: string, stepMs: number): Promise<EndState> {
  const { client, history } = world;
  const late: string[] = [];
  /** Sessions that were there once: only those can be gone. */
  const seen = new Set<string>();
  const now = (session: string): BrowserSession | undefined => {
    const current = history.session(name, session);
    if (current) seen.add(session);
    return current;
  };

  async function until(what: string, probe: () => boolean): Promise<boolean> {
    const deadline = performance.now() + stepMs;
    while (!probe()) {
      if (performance.now() > deadline) {
        late.push(what);
        return false;
      }
      await sleep(5);
    }
    return true;
  }
  const isOver = (session: string): boolean => {
    const current = now(session);
    const { phase } = current?.status ?? {};
    return current ? phase !== undefined && TERMINAL_PHASES.has(phase) : seen.has(session);
  };
  const ready = (session: string): Promise<boolean> =>
    until(`${session} is Ready`, () => now(session)?.status?.phase === 'Ready' || isOver(session));
  const over = (session: string): Promise<boolean> => until(`${session} has ended`, () => isOver(session));
  const gone = (session: string): Promise<boolean> =>
    until(`${session} is gone`, () => isOver(session) && !now(session));
  const create = (
    session: string,
    spec: BrowserSession['spec'],
    namespace = name,
    annotations = {},
  ): Promise<unknown> =>
    client.create(RESOURCE.browserSessions, {
      apiVersion: GROUP_VERSION,
      kind: 'BrowserSession',
      metadata: { name: session, namespace, annotations },
      spec,
    });
  const stop = (session: string): Promise<unknown> => {
    const body = { spec: { stop: { reason: 'Asked', by: 'the scenario' } } };
    return client.patch(RESOURCE.browserSessions, { namespace: name, name: session }, { type: 'merge', body });
  };
  const remove = (session: string): Promise<unknown> =>
    client.delete(RESOURCE.browserSessions, { namespace: name, name: session });
  const podOf = (session: string): Pod | undefined =>
    history
      .podsIn(name)
      .find((pod) => pod.metadata.ownerReferences?.some((owner) => owner.uid === now(session)?.metadata.uid));

  await furnish(client, name);
  await until('two warm pods', () => history.podsIn(name).filter(isReady).length >= 2);

  const poolRef = (pool: string): BrowserSession['spec'] => ({ poolRef: { name: pool } });
  await Promise.all([
    create('warm', poolRef('warm'))
      .then(() => ready('warm'))
      .then(() => stop('warm'))
      .then(() => over('warm')),
    create('cold', poolRef('cold'))
      .then(() => ready('cold'))
      .then(() => remove('cold'))
      .then(() => gone('cold')),
    create('profiled', { ...poolRef('cold'), profileRef: { name: 'login' } })
      .then(() => ready('profiled'))
      .then(() => stop('profiled'))
      .then(() => over('profiled')),
    create('doomed', poolRef('warm'))
      .then(() => ready('doomed'))
      .then(() =>
        world.pods.kill(now('doomed')?.status?.podUID ?? '', 'browser', { exitCode: 137, reason: 'OOMKilled' }),
      )
      .catch((error: unknown) => late.push(`doomed: ${String(error)}`))
      .then(() => over('doomed')),
    create('leaving', poolRef(SLOW_POOL))
      .then(() => until('leaving has a pod', () => podOf('leaving') !== undefined))
      .then(() => remove('leaving'))
      .then(() => gone('leaving')),
    create('last', poolRef('cold')).then(() => ready('last')),
    create('refused', poolRef('cold'), `${name}-full`, { [ANNOTATION.whenFull]: 'Reject' }).then(() =>
      until('refused is refused', () => history.session(`${name}-full`, 'refused')?.status?.phase === 'Failed'),
    ),
  ]);
  await until('the warm pods are back', () => history.podsIn(name).filter(isReady).length >= 3);

  for (const tenant of namespacesOf(name)) await client.delete(RESOURCE.browserTenants, { name: tenant });
  await over('last');
  await until('no pod is left', () => history.podsIn(name).length === 0);
  await settle(world, stepMs, late);

  const endOf = (namespace: string, session: string): End => {
    const { status } = history.session(namespace, session) ?? {};
    return status === undefined ? 'gone' : `${status.phase}/${status.reason}`;
  };
  const names = ['warm', 'cold', 'profiled', 'doomed', 'leaving', 'last'];
  const sessions = Object.fromEntries(names.map((session) => [session, endOf(name, session)]));
  sessions['refused'] = endOf(`${name}-full`, 'refused');
  const profile = await client.find(RESOURCE.browserProfiles, { namespace: name, name: 'login' });
  const holder = profile?.status?.holder;
  const pods = namespacesOf(name).flatMap((namespace) => history.podsIn(namespace).map((pod) => pod.metadata.name));
  return {
    sessions,
    profile: holder ? `held by ${holder.sessionName}` : 'free',
    pods,
    stuck: await clear(world, name),
    late,
  };
}

async function furnish(client: Client, name: string): Promise<void> {
  const [own, full] = namespacesOf(name) as [string, string];
  const pool = (namespace: string, pool: string, warm = {}) =>
    client.create(RESOURCE.browserPools, {
      metadata: { name: pool, namespace },
      spec: { image: 'simulated:1', ...sandbox, ...warm },
    });
  const tenant = (namespace: string, concurrentSessions: number) =>
    client.create(RESOURCE.browserTenants, {
      metadata: { name: namespace },
      spec: { namespace, limits: { concurrentSessions } },
    });
  await Promise.all(
    [own, full].map((namespace) => client.create(RESOURCE.namespaces, { metadata: { name: namespace } })),
  );
  await Promise.all([
    tenant(own, 20),
    tenant(full, 0),
    pool(own, 'warm', { warm: { min: 2, max: 2 } }),
    pool(own, 'cold'),
    pool(own, SLOW_POOL),
    pool(full, 'cold'),
    client.create(RESOURCE.browserProfiles, { metadata: { name: 'login', namespace: own }, spec: {} }),
  ]);
}

const isReady = (pod: Pod): boolean =>
  pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

/** Nothing was written for a while, and nothing is under way. */
async function settle(world: World, stepMs: number, late: string[]): Promise<void> {
  const deadline = performance.now() + stepMs;
  while (world.proxy.quietForMs() < 250) {
    if (performance.now() > deadline) {
      late.push('the operator does not come to rest');
      return;
    }
    await sleep(20);
  }
}

/** Deletes all that is left and says what does not go; then whatever that is goes by force, for the next replay's sake. */
async function clear({ client, history }: World, name: string): Promise<string[]> {
  const stuck: string[] = [];
  // What they hold in common is all that is needed of them here.
  const kinds = [RESOURCE.browserSessions, RESOURCE.browserProfiles, RESOURCE.browserPools, RESOURCE.networkPolicies];
  const places = namespacesOf(name).flatMap((namespace) =>
    kinds.map((kind) => ({ namespace, kind: kind as ResourceType<KubeObject> })),
  );
  await Promise.all(
    places.map(async ({ namespace, kind }) => {
      const { items } = await client.list(kind, { namespace });
      await Promise.all(
        items.map(async ({ metadata }) => {
          const target = { namespace, name: metadata.name };
          await client.delete(kind, target);
          const deadline = performance.now() + 10_000;
          while (await client.find(kind, target)) {
            if (performance.now() > deadline) {
              stuck.push(`${kind.kind} ${metadata.name}`);
              await client.patch(kind, target, { type: 'merge', body: { metadata: { finalizers: null } } });
              return;
            }
            await sleep(20);
          }
        }),
      );
    }),
  );
  for (const namespace of namespacesOf(name)) {
    for (const pod of history.podsIn(namespace))
      await client.delete(RESOURCE.pods, { namespace, name: pod.metadata.name }, { gracePeriodSeconds: 0 });
    await client.delete(RESOURCE.namespaces, { name: namespace });
  }
  return stuck;
}
