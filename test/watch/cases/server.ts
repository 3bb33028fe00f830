import { RESOURCE } from '@podwright/kube/resource';
import { WIDGETS, WIDGET_DEFINITION, allowAgain, forbid } from '../access.ts';
import type { Case } from '../case.ts';
import { pause } from '../faults.ts';
import type { World } from '../world.ts';

async function define(world: World): Promise<void> {
  await world.admin.create(RESOURCE.customResourceDefinitions, WIDGET_DEFINITION);
  await world.admin.raw('GET', '/readyz').catch(() => {});
  for (let served = false; !served; await pause(100)) {
    served = await world.admin.list(WIDGETS).then(
      () => true,
      () => false,
    );
  }
}

async function undefine(world: World): Promise<void> {
  await world.admin.delete(RESOURCE.customResourceDefinitions, WIDGET_DEFINITION.metadata);
  while (await world.admin.find(RESOURCE.customResourceDefinitions, WIDGET_DEFINITION.metadata)) await pause(100);
}

/** What happens to the API server, and what administrators do. */
export const SERVER_CASES: Case[] = [
  {
    name: 'the API server is restarted',
    requests: 40,
    async run(world) {
      await world.create('before');
      await world.start();
      await world.plane.restartApiServer();
      await world.create('after');
      return world.settled();
    },
  },
  {
    name: 'the API server is killed, and objects go before the watch is back',
    requests: 40,
    async run(world) {
      await world.create('before');
      await world.start();
      await world.plane.restartApiServer({ graceMs: 0 });
      await world.remove('before');
      await world.create('after');
      return world.settled();
    },
  },
  {
    name: 'the API server stands still for eight seconds',
    requests: 40,
    async run(world) {
      await world.start();
      world.plane.pauseApiServer();
      await pause(8_000);
      world.plane.resumeApiServer();
      await world.create('after');
      return world.settled();
    },
  },
  {
    name: 'the kind is defined only later',
    widgets: true,
    async run(world) {
      await undefine(world);
      await world.start({ settle: false });
      await pause(1_500);
      await define(world);
      await world.create('first');
      return world.settled();
    },
  },
  {
    name: 'the definition of the kind is deleted and made again',
    widgets: true,
    requests: 30,
    async run(world) {
      await world.create('first');
      await world.start();
      await undefine(world);
      await pause(1_000);
      await define(world);
      await world.create('second');
      return world.settled(20_000);
    },
  },
  {
    name: 'the right to read is taken away and given again',
    async run(world) {
      await world.start();
      await forbid(world.admin, world.namespace);
      world.proxy.tcp.reset();
      await pause(2_000);
      await world.create('meanwhile');
      await allowAgain(world.admin, world.namespace);
      return world.settled();
    },
  },
  {
    name: 'the right to read comes only later',
    async run(world) {
      await world.create('first');
      await forbid(world.admin, world.namespace);
      await world.start({ settle: false });
      await pause(1_500);
      await allowAgain(world.admin, world.namespace);
      return world.settled();
    },
  },
  {
    name: 'the namespace is deleted with all that is in it',
    async run(world) {
      for (const name of ['a', 'b', 'c']) await world.create(name);
      await world.start();
      await world.admin.delete(RESOURCE.namespaces, { name: world.namespace });
      while (await world.admin.find(RESOURCE.namespaces, { name: world.namespace })) await pause(100);
      return world.settled();
    },
  },
];
