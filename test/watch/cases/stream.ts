import type { Fault } from '../../harness/http-fault-proxy.ts';
import type { Case } from '../case.ts';
import { always, endAfter, lines, listsOf, next, pause, watchesOf } from '../faults.ts';

const isBookmark = (line: string): boolean => line.startsWith('{"type":"BOOKMARK"');

/** Holds events back until there are `count`, over all watches, and passes them the last one first. */
function reversed(count: number): Fault {
  const waiting: string[] = [];
  return lines((line) => {
    if (isBookmark(line)) return [];
    waiting.push(line);
    return waiting.length < count ? [] : waiting.splice(0).toReversed();
  });
}

/** What can be wrong inside an answer that began well. */
export const STREAM_CASES: Case[] = [
  {
    name: 'a watch ends in good order in the middle of a line',
    short: true,
    async run(world) {
      next(world, 'watch', endAfter(120));
      await world.start();
      await world.create('torn');
      return world.settled();
    },
  },
  {
    name: 'every byte comes by itself, those of one character too',
    short: true,
    async run(world) {
      always(world, ({ kind }) =>
        kind !== 'watch'
          ? undefined
          : {
              async *body(chunks) {
                for await (const chunk of chunks) {
                  for (const byte of chunk) {
                    yield Buffer.of(byte);
                    if (byte > 127) await pause(1);
                  }
                }
              },
            },
      );
      const watcher = await world.start();
      await world.create('words', 'Grüße, 日本, 𝄞');
      await world.settled();
      const value = watcher.items()[0]?.data?.['value'];
      if (value !== 'Grüße, 日本, 𝄞') throw new Error(`read ${value}`);
    },
  },
  {
    name: 'objects are as large as the API server allows',
    async run(world) {
      await world.start();
      for (const name of ['a', 'b', 'c']) await world.create(name, 'x'.repeat(1_000_000));
      await world.change('b', 'y'.repeat(1_000_000));
      return world.settled();
    },
  },
  {
    name: 'every event comes twice',
    short: true,
    async run(world) {
      always(world, ({ kind }) => (kind === 'watch' ? lines((line) => [line, line]) : undefined));
      await world.start();
      await world.create('a', '1');
      await world.change('a', '2');
      await world.remove('a');
      await world.create('a', '3');
      return world.settled();
    },
  },
  {
    name: 'events come again when later ones are long known',
    async run(world) {
      const past: string[] = [];
      always(world, ({ kind }) =>
        kind !== 'watch'
          ? undefined
          : lines((line) => {
              past.push(line);
              return [line, ...past.slice(-4, -1).filter((old) => !isBookmark(old))];
            }),
      );
      await world.start();
      await world.create('a', '1');
      await world.change('a', '2');
      await world.remove('a');
      await world.create('a', '3');
      await world.change('a', '4');
      await world.create('b', '1');
      return world.settled();
    },
  },
  {
    name: 'events come late, by half a second each',
    async run(world) {
      const late = lines(async (line) => {
        await pause(500);
        return [line];
      });
      always(world, ({ kind }) => (kind === 'watch' ? late : undefined));
      await world.start();
      await world.create('a', '1');
      for (const value of ['2', '3', '4']) await world.change('a', value);
      return world.settled();
    },
  },
  {
    name: 'changes of one object come in the wrong order',
    short: true,
    async run(world) {
      const fault = reversed(3);
      always(world, ({ kind }) => (kind === 'watch' ? fault : undefined));
      await world.start();
      await world.create('a', '1');
      await world.change('a', '2');
      await world.change('a', '3');
      return world.settled();
    },
  },
  {
    name: 'a deletion comes before the change that preceded it',
    async run(world) {
      await world.create('a', '1');
      const fault = reversed(2);
      always(world, ({ kind }) => (kind === 'watch' ? fault : undefined));
      await world.start();
      await world.change('a', '2');
      await world.remove('a');
      return world.settled();
    },
  },
  {
    name: 'a bookmark moves the position',
    short: true,
    async run(world) {
      await world.start();
      const { metadata } = await world.create('elsewhere');
      await world.settled();
      // Of a later moment than any event of this kind.
      const moved = String(BigInt(metadata.resourceVersion) + 1n);
      await world.admin.create(world.resource, {
        metadata: { namespace: 'default', name: `${world.namespace}-moves` },
      });
      const bookmark = { type: 'BOOKMARK', object: { kind: 'ConfigMap', metadata: { resourceVersion: moved } } };
      for (const watch of world.proxy.watches) watch.send(`${JSON.stringify(bookmark)}\n`);
      await pause(100);
      for (const watch of world.proxy.watches) watch.end();
      await world.until('it watches again', () => watchesOf(world).length >= 2);
      const from = watchesOf(world).at(-1)?.url.searchParams.get('resourceVersion');
      if (from !== moved) throw new Error(`it went on from ${from} and not from ${moved}`);
    },
  },
  {
    name: 'the server knows no bookmarks',
    async run(world) {
      always(world, ({ kind }) => (kind === 'watch' ? lines((line) => (isBookmark(line) ? [] : [line])) : undefined));
      await world.start();
      for (const watch of world.proxy.watches) watch.end();
      await world.create('later');
      return world.settled();
    },
  },
  {
    name: 'an event is of a type that nobody knows',
    async run(world) {
      await world.start();
      const object = { metadata: { name: 'ghost', namespace: world.namespace, uid: 'ghost', resourceVersion: '1' } };
      for (const watch of world.proxy.watches) watch.send(`${JSON.stringify({ type: 'HINT', object })}\n`);
      await world.create('real');
      return world.settled();
    },
  },
  {
    name: 'the server ends a watch because its time is up',
    short: true,
    async run(world) {
      await world.start();
      for (const watch of world.proxy.watches) watch.end();
      await world.create('later');
      const took = await world.settled();
      if (listsOf(world).length > 1) throw new Error('it listed again, although its position was good');
      return took;
    },
  },
  {
    name: 'the server ends every watch at once for some seconds',
    async run(world) {
      await world.start();
      const end = always(world, ({ kind }) => (kind === 'watch' ? { answer: { status: 200, body: '' } } : undefined));
      for (const watch of world.proxy.watches) watch.end();
      await pause(4_000);
      await world.create('meanwhile');
      end();
      return world.settled();
    },
  },
];
