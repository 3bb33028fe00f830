import type { Case } from '../case.ts';
import { next, pause, resetAfter } from '../faults.ts';

/** What networks do. */
export const CONNECTION_CASES: Case[] = [
  {
    name: 'the connection of a watch is reset',
    short: true,
    withinMs: 3_000,
    async run(world) {
      await world.start();
      world.proxy.tcp.reset();
      await world.create('later');
      return world.settled();
    },
  },
  {
    name: 'it is reset ten times, each time as soon as it is back',
    requests: 40,
    async run(world) {
      await world.start();
      for (let times = 0; times < 10; times += 1) {
        await world.until('the watch is back', () => world.proxy.watches.size > 0);
        world.proxy.tcp.reset();
        await world.create(`after-${times}`);
        await pause(50);
      }
    },
  },
  {
    name: 'the connection of a list is reset half way',
    async run(world) {
      await world.create('first');
      next(world, 'list', resetAfter(200));
      await world.start();
    },
  },
  {
    name: 'the connection is reset in the middle of an event',
    async run(world) {
      next(world, 'watch', resetAfter(100));
      await world.start();
      await world.create('torn');
      return world.settled();
    },
  },
  {
    name: 'the connection of a watch stands and is dead',
    short: true,
    withinMs: 10_000,
    async run(world) {
      await world.start();
      world.proxy.tcp.stall();
      await world.create('unheard');
      return world.settled(60_000);
    },
  },
  {
    name: 'the connection dies under a list',
    withinMs: 30_000,
    async run(world) {
      await world.create('first');
      next(world, 'list', 'hang');
      await world.start({ settle: false });
      return world.settled(60_000);
    },
  },
  {
    name: 'a watch is taken and never answered',
    withinMs: 20_000,
    async run(world) {
      next(world, 'watch', 'hang');
      await world.start({ settle: false });
      await world.until('the watch is asked for', () => world.proxy.seen.some(({ kind }) => kind === 'watch'));
      await world.create('unheard');
      return world.settled(60_000);
    },
  },
  {
    name: 'watches are accepted and stay silent, each of them',
    withinMs: 20_000,
    async run(world) {
      await world.start({ quietMs: 4_000 });
      world.proxy.hold();
      await world.create('unheard');
      return world.settled(60_000).finally(() => world.proxy.release());
    },
  },
  {
    name: 'connections are refused for a while',
    short: true,
    withinMs: 11_000,
    async run(world) {
      await world.start();
      world.proxy.tcp.refuse();
      world.proxy.tcp.reset();
      await pause(3_000);
      await world.create('meanwhile');
      world.proxy.tcp.accept();
      return world.settled();
    },
  },
];
