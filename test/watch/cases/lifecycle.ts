import type { Case } from '../case.ts';
import { always, inTurn, pause, refusal } from '../faults.ts';
import type { Watcher } from '../subject.ts';
import type { World } from '../world.ts';

/** Stops it and returns how long that took; throws when it is still at it half a second later. */
export async function stopped(world: World, watcher: Watcher): Promise<number> {
  const startedAt = performance.now();
  await Promise.race([watcher.stop(), pause(5_000)]);
  const took = performance.now() - startedAt;
  const activity = (): number => world.proxy.seen.length + world.proxy.tcp.refused;
  const [told, asked] = [watcher.story.length, activity()];
  await pause(500);
  if (watcher.story.length !== told) throw new Error('it told something after it was stopped');
  if (activity() !== asked) throw new Error('it asked for something after it was stopped');
  if (world.proxy.watches.size > 0) throw new Error('a watch was left open');
  return took;
}

const busy = (milliseconds: number): void => {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
};

/** What the process itself does. */
export const LIFECYCLE_CASES: Case[] = [
  {
    name: 'it is stopped during a list',
    short: true,
    stopsEarly: true,
    withinMs: 1_000,
    async run(world) {
      always(world, () => 'hang');
      const watcher = await world.start({ settle: false });
      await world.until('it lists', () => world.proxy.seen.length > 0);
      return stopped(world, watcher);
    },
  },
  {
    name: 'it is stopped during a watch',
    short: true,
    stopsEarly: true,
    withinMs: 1_000,
    async run(world) {
      const watcher = await world.start();
      const took = await stopped(world, watcher);
      const told = watcher.story.length;
      await world.create('unwatched');
      await pause(300);
      if (watcher.story.length !== told) throw new Error('it still told something');
      return took;
    },
  },
  {
    name: 'it is stopped while it waits to try again',
    stopsEarly: true,
    withinMs: 1_000,
    async run(world) {
      always(world, () => refusal(503, 'ServiceUnavailable'));
      const watcher = await world.start({ settle: false });
      await pause(2_500);
      return stopped(world, watcher);
    },
  },
  {
    name: 'it is stopped in the middle of many events',
    stopsEarly: true,
    withinMs: 1_000,
    async run(world) {
      const watcher = await world.start();
      const creating = inTurn(
        Array.from({ length: 60 }, (_, index) => `many-${index}`),
        10,
        (name) => world.create(name),
      );
      await world.until('the first are seen', () => watcher.story.length > 5);
      const took = await stopped(world, watcher);
      await creating;
      return took;
    },
  },
  {
    name: 'a handler throws',
    short: true,
    async run(world) {
      const watcher = await world.start();
      watcher.onChange(() => {
        throw new Error('a handler that throws');
      });
      const heard: string[] = [];
      watcher.onChange(({ name }) => heard.push(name));
      await world.create('a');
      await world.create('b');
      await world.settled();
      if (heard.join() !== 'a,b') throw new Error(`the handler after it heard ${heard.join() || 'nothing'}`);
    },
  },
  {
    name: 'a handler is asynchronous and rejects',
    async run(world) {
      const watcher = await world.start();
      watcher.onChange(async () => {
        await pause(1);
        throw new Error('a handler that rejects');
      });
      await world.create('a');
      await world.settled();
      await pause(50);
    },
  },
  {
    name: 'a handler holds the process up for four seconds',
    async run(world) {
      const watcher = await world.start();
      let slow = true;
      watcher.onChange(() => {
        if (slow) busy(4_000);
        slow = false;
      });
      for (const name of ['a', 'b', 'c']) await world.create(name);
      return world.settled();
    },
  },
  {
    name: 'there are two of one kind, and their connections are reset',
    requests: 30,
    async run(world) {
      const first = await world.start();
      const second = await world.start();
      world.proxy.tcp.reset();
      await world.create('a');
      await world.change('a', '2');
      await world.settled();
      await world.until('the first knows it too', () => first.items()[0]?.data?.['value'] === '2');
      await first.stop();
      await world.create('b');
      await world.until('the second goes on without the first', () => second.items().length === 2);
    },
  },
];
