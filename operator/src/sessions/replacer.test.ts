import type { BrowserSession } from '@podwright/api/kinds/session';
import type { Client } from '@podwright/kube/client';
import { KubeError } from '@podwright/kube/kube-error';
import { afterEach, expect, test } from 'vitest';
import { createBackground } from '../background.ts';
import type { Caches } from '../caches.ts';
import { answer, at, pod, time } from '../testing/objects.ts';
import { liveSession } from '../testing/observation.ts';
import { type Replacer, createReplacer } from './replacer.ts';

const silent = { info() {}, warn() {}, error() {} };
const replacers: Replacer[] = [];
afterEach(() => replacers.splice(0).forEach((replacer) => replacer.stop()));

/** Parked sessions, the first the longest unused; `busy` are looked at by somebody, `active` were used a moment ago. */
function setUp(names: string[], how: { busy?: string[]; active?: string[]; conflict?: string[] } = {}) {
  const sessions = new Map<string, BrowserSession>();
  for (const [index, name] of names.entries()) {
    const session = liveSession(
      { lifetime: { keepAlive: true } },
      { phase: 'Idle', podUID: `pod-${name}`, lastActiveAt: time(index + 1) },
    );
    session.metadata.name = name;
    session.metadata.uid = name;
    sessions.set(name, session);
  }
  const asked: string[] = [];
  const caches = {
    sessions: {
      store: { by: () => [...sessions.values()], getByUid: (uid: string) => sessions.get(uid) },
      remember: (session: BrowserSession) => sessions.set(session.metadata.uid, session),
    },
    pods: { store: { getByUid: (uid: string) => pod({ name: uid.slice(4) }) } },
  } as unknown as Caches;
  const client = {
    patch(_type: unknown, { name }: { name: string }, { body }: { body: { spec: BrowserSession['spec'] } }) {
      if (how.conflict?.includes(name)) return Promise.reject(new KubeError(409, 'Conflict', 'changed'));
      const session = sessions.get(name)!;
      return Promise.resolve({ ...session, spec: { ...session.spec, ...body.spec } });
    },
  } as unknown as Client;
  const background = createBackground({ log: silent });
  const replacer = createReplacer({
    client,
    caches,
    door: {
      status(one, uid) {
        asked.push(uid);
        if (uid === 'dead') return Promise.reject(new Error('no answer'));
        const viewers = how.busy?.includes(one.metadata.name) ? 1 : 0;
        return Promise.resolve(answer({ activity: { ...answer().activity, viewers } }));
      },
      quiesce: (_pod, uid) =>
        Promise.resolve({ quiet: !how.active?.includes(uid), lastActiveAt: new Date(at(1)).toISOString() }),
    },
    background,
    now: () => at(1_000),
    log: silent,
  });
  replacers.push(replacer);
  const want = async (count: number): Promise<string[]> => {
    replacer.want([{ namespace: 'ns', pool: undefined, count }]);
    for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
    return [...sessions.values()]
      .filter(({ spec }) => spec.stop?.reason === 'Replaced')
      .map(({ metadata }) => metadata.name);
  };
  return { want, asked };
}

test('the longest unused gives way, and no more than are needed', async () => {
  const { want, asked } = setUp(['old', 'middle', 'young']);
  expect(await want(1)).toEqual(['old']);
  expect(asked).toEqual(['old']);
});

test('what gave way counts, although it has not ended', async () => {
  const { want } = setUp(['old', 'middle', 'young']);
  await want(1);
  expect(await want(1)).toEqual(['old']);
  expect(await want(2)).toEqual(['old', 'middle']);
});

test('one that is looked at, was used just now, does not answer or was changed meanwhile is passed over', async () => {
  const { want } = setUp(['seen', 'used', 'dead', 'moved', 'free'], {
    busy: ['seen'],
    active: ['used'],
    conflict: ['moved'],
  });
  expect(await want(1)).toEqual(['free']);
});

test('and is not asked again for a while', async () => {
  const { want, asked } = setUp(['seen'], { busy: ['seen'] });
  await want(1);
  expect(await want(1)).toEqual([]);
  expect(asked).toEqual(['seen']);
});

test('when nobody waits any more nobody gives way', async () => {
  const { want } = setUp(['old']);
  expect(await want(0)).toEqual([]);
});
