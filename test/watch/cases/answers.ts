import { writeFile } from 'node:fs/promises';
import { tokenOf } from '../access.ts';
import type { Case } from '../case.ts';
import { always, createMany, errorLine, listsOf, next, pause, refusal, watchesOf } from '../faults.ts';
import type { World } from '../world.ts';

const expired = refusal(410, 'Expired');
const throttled = refusal(429, 'TooManyRequests', { 'retry-after': '2' });

/** Throws when a request came sooner after a refused one than the server asked for. */
function mustHaveWaited(world: World, milliseconds: number): void {
  const { seen } = world.proxy;
  for (const [index, { status, at }] of seen.entries()) {
    const after = seen[index + 1];
    if (status === 429 && after && after.at - at < milliseconds * 0.95)
      throw new Error(`asked again after ${Math.round(after.at - at)} ms, although told to wait ${milliseconds} ms`);
  }
}

/** Loses the position that the watcher has, in a way that only a new list mends. */
async function missOne(world: World): Promise<void> {
  world.proxy.hold();
  await world.create('missed');
  for (const watch of world.proxy.watches) watch.send(errorLine(410, 'Expired'));
  for (const watch of world.proxy.watches) watch.end();
  await pause(100);
}

/** What API servers and load balancers answer. */
export const ANSWER_CASES: Case[] = [
  {
    name: 'a list is refused as expired',
    async run(world) {
      next(world, 'list', expired);
      await world.start();
    },
  },
  {
    name: 'the second page of a list is refused as expired',
    requests: 30,
    async run(world) {
      await createMany(world, 'many', 520);
      let refused = false;
      always(world, ({ url }) => {
        if (refused || !url.searchParams.has('continue')) return undefined;
        refused = true;
        return expired;
      });
      await world.start();
    },
  },
  {
    name: 'a watch is refused as expired',
    short: true,
    async run(world) {
      await world.start();
      next(world, 'watch', expired);
      world.proxy.tcp.reset();
      await world.create('later');
    },
  },
  {
    name: 'a watch tells in its stream that it is expired',
    short: true,
    async run(world) {
      await world.start();
      await missOne(world);
      world.proxy.release();
      return world.settled();
    },
  },
  {
    name: 'a watch tells in its stream of an internal error',
    async run(world) {
      await world.start();
      for (const watch of world.proxy.watches) watch.send(errorLine(500, 'InternalError'));
      for (const watch of world.proxy.watches) watch.end();
      await world.create('later');
      return world.settled();
    },
  },
  {
    name: 'every watch is refused as expired for some seconds',
    requests: 30,
    async run(world) {
      await world.start();
      const end = always(world, ({ kind }) => (kind === 'watch' ? expired : undefined));
      world.proxy.tcp.reset();
      await pause(4_000);
      await world.create('meanwhile');
      end();
    },
  },
  {
    name: 'a list is throttled with Retry-After',
    short: true,
    async run(world) {
      next(world, 'list', throttled, 2);
      await world.start();
      mustHaveWaited(world, 2_000);
    },
  },
  {
    name: 'a watch is throttled with Retry-After',
    async run(world) {
      await world.start();
      next(world, 'watch', throttled, 2);
      world.proxy.tcp.reset();
      await world.create('later');
      await world.until('it was throttled twice', () => watchesOf(world).length >= 4);
      await world.settled();
      mustHaveWaited(world, 2_000);
    },
  },
  {
    name: 'everything is answered with 503 for some seconds',
    short: true,
    async run(world) {
      await world.start();
      const end = always(world, () => refusal(503, 'ServiceUnavailable'));
      world.proxy.tcp.reset();
      await pause(3_000);
      await world.create('meanwhile');
      end();
      return world.settled();
    },
  },
  {
    name: 'watches are answered with 500 three times',
    async run(world) {
      await world.start();
      next(world, 'watch', refusal(500, 'InternalError'), 3);
      world.proxy.tcp.reset();
      await world.create('later');
      const took = await world.settled();
      if (listsOf(world).length > 1) throw new Error('it listed again, although its position was good');
      return took;
    },
  },
  {
    name: 'a load balancer answers 502 with a page of HTML',
    async run(world) {
      const headers = { 'content-type': 'text/html' };
      next(world, 'any', { answer: { status: 502, headers, body: '<html>bad gateway</html>' } }, 3);
      await world.start();
    },
  },
  {
    name: 'a captive page answers 200 with HTML',
    async run(world) {
      await world.create('first');
      const headers = { 'content-type': 'text/html' };
      next(world, 'any', { answer: { status: 200, headers, body: '<html>welcome</html>\n' } }, 2);
      await world.start();
    },
  },
  {
    name: 'the token is rotated and the old one refused',
    short: true,
    withinMs: 5_000,
    async run(world) {
      await world.start();
      const token = await tokenOf(world.admin, world.namespace);
      always(world, (seen) => (seen.token === token ? undefined : refusal(401, 'Unauthorized')));
      await writeFile(world.tokenFile, token);
      world.proxy.tcp.reset();
      await world.create('later');
      return world.settled(90_000);
    },
  },
  {
    name: 'the token is refused for some seconds before the new one is on disk',
    withinMs: 12_000,
    async run(world) {
      await world.start();
      const token = await tokenOf(world.admin, world.namespace);
      always(world, (seen) => (seen.token === token ? undefined : refusal(401, 'Unauthorized')));
      world.proxy.tcp.reset();
      await pause(3_000);
      await writeFile(world.tokenFile, token);
      await world.create('later');
      return world.settled(90_000);
    },
  },
];
