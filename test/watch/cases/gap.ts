import type { Case } from '../case.ts';
import { createMany, always, inTurn, listsOf, pause } from '../faults.ts';
import type { World } from '../world.ts';

/** Cuts the watcher off, lets things happen, and lets it back. */
async function meanwhile(world: World, happens: () => Promise<void>): Promise<void> {
  world.proxy.tcp.refuse();
  world.proxy.tcp.reset();
  try {
    await happens();
  } finally {
    world.proxy.tcp.accept();
  }
}

/** What happens while nobody looks. */
export const GAP_CASES: Case[] = [
  {
    name: 'an object is deleted and made again in a gap',
    short: true,
    async run(world) {
      await world.create('twin', 'first');
      await world.start();
      await meanwhile(world, async () => {
        await world.remove('twin');
        await world.create('twin', 'second');
      });
      return world.settled();
    },
  },
  {
    name: 'an object is deleted and made again in a gap, and the position is lost',
    short: true,
    async run(world) {
      await world.create('twin', 'first');
      await world.start();
      await meanwhile(world, async () => {
        await world.remove('twin');
        await world.create('twin', 'second');
        const end = always(world, ({ kind }) =>
          kind === 'watch'
            ? { answer: { status: 410, body: { kind: 'Status', code: 410, reason: 'Expired' } } }
            : undefined,
        );
        const lists = listsOf(world).length;
        void world
          .until('it lists again', () => listsOf(world).length > lists)
          .finally(end)
          .catch(() => {});
      });
      return world.settled();
    },
  },
  {
    name: 'an object goes in a gap',
    async run(world) {
      await world.create('short-lived');
      await world.create('stays');
      await world.start();
      await meanwhile(world, () => world.remove('short-lived'));
      return world.settled();
    },
  },
  {
    name: 'an object comes and goes in a gap',
    async run(world) {
      await world.start();
      await meanwhile(world, async () => {
        await world.create('blink');
        await world.remove('blink');
        await world.create('after');
      });
      return world.settled();
    },
  },
  {
    name: 'a long gap changes hundreds of objects, and etcd is compacted in it',
    requests: 40,
    async run(world) {
      const names = await createMany(world, 'many', 150);
      await world.start();
      await meanwhile(world, async () => {
        await inTurn(names.slice(0, 50), 20, (name) => world.remove(name));
        await inTurn(names.slice(50, 100), 20, (name) => world.change(name, 'new'));
        await createMany(world, 'more', 50);
        await inTurn(names.slice(0, 20), 20, (name) => world.create(name, 'again'));
        await world.plane.compactEtcd();
        // A new server's cache begins after the gap: the position is really lost.
        await world.plane.restartApiServer();
      });
      return world.settled(30_000);
    },
  },
  {
    name: 'an object changes between two pages of a list',
    requests: 30,
    async run(world) {
      const names = await createMany(world, 'many', 520);
      let changed = false;
      always(world, ({ url }) => {
        if (changed || !url.searchParams.has('continue')) return undefined;
        changed = true;
        return {
          async *body(chunks) {
            await world.change(names[0]!, 'between');
            await world.remove(names.at(-1)!);
            yield* chunks;
          },
        };
      });
      await world.start();
    },
  },
  {
    name: 'a watch is away for a while without anything happening',
    async run(world) {
      await world.create('still');
      const watcher = await world.start();
      const before = watcher.story.length;
      await meanwhile(world, () => pause(2_000));
      await world.until('it watches again', () => world.proxy.watches.size > 0);
      if (watcher.story.length !== before) throw new Error('it told a story of nothing');
    },
  },
];
