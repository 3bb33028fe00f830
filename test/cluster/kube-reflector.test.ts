import type { ConfigMap } from '@podwright/kube/objects';
import { type Reflector, startReflector } from '@podwright/kube/reflector';
import { RESOURCE } from '@podwright/kube/resource';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type KubeFixture, kubeFixture, silent, until } from '../harness/kube.ts';

let kube: KubeFixture;
const endings: (() => Promise<void>)[] = [];
beforeAll(async () => {
  kube = await kubeFixture('reflector');
});
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});
afterAll(() => kube?.close());

let counter = 0;
const create = (name = `cm-${(counter += 1)}`, data: Record<string, string> = {}) =>
  kube.client.create(RESOURCE.configMaps, {
    metadata: { namespace: kube.namespace, name, labels: { test: 'yes' } },
    data,
  });
const target = (name: string) => ({ namespace: kube.namespace, name });
const change = (name: string, value: string) =>
  kube.client.patch(RESOURCE.configMaps, target(name), { type: 'merge', body: { data: { value } } });

function reflect(client = kube.client, quietMs?: number) {
  const story: string[] = [];
  const reflector: Reflector<ConfigMap, 'value'> = startReflector({
    client,
    resource: RESOURCE.configMaps,
    namespace: kube.namespace,
    labelSelector: 'test=yes',
    indexes: { value: (map: ConfigMap) => (map.data?.['value'] === undefined ? [] : [map.data['value']]) },
    now: Date.now,
    log: silent,
    ...(quietMs !== undefined && { quietMs }),
  });
  reflector.onChange(({ type, object }) =>
    story.push(`${type} ${object.metadata.name} ${object.data?.['value'] ?? ''}`.trim()),
  );
  endings.push(() => reflector.stop());
  return { reflector, story, of: (name: string) => story.filter((line) => line.split(' ')[1] === name) };
}

async function throughProxy() {
  const through = await kube.viaProxy();
  endings.push(() => through.close());
  const seen = reflect(through.client);
  await seen.reflector.synced(AbortSignal.timeout(10_000));
  const sentinel = await create();
  await until('the watch has told something', () => seen.of(sentinel.metadata.name).length === 1);
  return { ...through, ...seen };
}

describe('a reflector', () => {
  test('tells creation, change and deletion in order, and keeps its index', async () => {
    const { reflector, of } = reflect();
    await reflector.synced(AbortSignal.timeout(10_000));
    await create('ordered');
    await change('ordered', '1');
    await change('ordered', '2');
    await until('the change is seen', () => of('ordered').length === 3);
    expect(reflector.store.by('value', '2').map(({ metadata }) => metadata.name)).toEqual(['ordered']);
    expect(reflector.store.by('value', '1')).toEqual([]);
    await kube.client.delete(RESOURCE.configMaps, target('ordered'));
    await until('the deletion is seen', () => of('ordered').length === 4);
    expect(of('ordered')).toEqual(['added ordered', 'changed ordered 1', 'changed ordered 2', 'removed ordered 2']);
    expect(reflector.store.get(`${kube.namespace}/ordered`)).toBeUndefined();
  });

  test('shows an own write at once, and its watch event is no second change', async () => {
    const { reflector, of } = reflect();
    await reflector.synced(AbortSignal.timeout(10_000));
    reflector.remember(await create('mine'));
    expect(of('mine')).toEqual(['added mine']);
    await change('mine', 'later');
    await until('the later change is seen', () => of('mine').length > 1);
    expect(of('mine')).toEqual(['added mine', 'changed mine later']);
  });

  test('an answer that comes after the deletion does not bring an object back', async () => {
    const { reflector, of } = reflect();
    await reflector.synced(AbortSignal.timeout(10_000));
    const late = await create('ghost');
    await until('it is seen', () => of('ghost').length === 1);
    await kube.client.delete(RESOURCE.configMaps, target('ghost'));
    await until('it is gone', () => of('ghost').length === 2);
    reflector.remember(late);
    expect(reflector.store.get(`${kube.namespace}/ghost`)).toBeUndefined();
  });

  test('a handler that throws stops neither the others nor the watch', async () => {
    const { reflector, of } = reflect();
    await reflector.synced(AbortSignal.timeout(10_000));
    reflector.onChange(() => {
      throw new Error('a bug');
    });
    await create('survivor');
    await change('survivor', '1');
    await until('both are seen', () => of('survivor').length === 2);
  });

  test('stopped during its first list it leaves no connection and no rejection behind', async () => {
    const through = await kube.viaProxy();
    const { client, proxy } = through;
    endings.push(() => through.close());
    const { reflector } = reflect(client);
    await reflector.stop();
    const before = proxy.accepted;
    await new Promise((resolve) => {
      setTimeout(resolve, 500);
    });
    expect(proxy.accepted).toBe(before);
  });
});

describe('when the network fails', () => {
  test('a reset connection is made anew within two seconds, and nothing is missed', async () => {
    const { proxy, of } = await throughProxy();
    proxy.reset();
    await create('after-reset');
    expect(await until('the object is seen', () => of('after-reset').length === 1)).toBeLessThan(2_500);
  });

  test('a connection that stands and is dead is found out within ten seconds', async () => {
    const { proxy, of } = await throughProxy();
    proxy.stall();
    await create('after-stall');
    expect(await until('the object is seen', () => of('after-stall').length === 1)).toBeLessThan(10_000);
  });

  test('while connections are refused it tries again by itself, and goes on', async () => {
    const { proxy, of, reflector } = await throughProxy();
    proxy.refuse();
    proxy.reset();
    await until('it has failed a few times', () => reflector.health().restarts >= 3);
    await create('after-refusal');
    proxy.accept();
    await until('the object is seen', () => of('after-refusal').length === 1);
    expect(reflector.health()).toMatchObject({ healthy: true, synced: true });
  });

  test('what was deleted and made again meanwhile is removed and added', async () => {
    await create('twin', { value: 'first' });
    const { proxy, of } = await throughProxy();
    proxy.refuse();
    proxy.reset();
    await kube.client.delete(RESOURCE.configMaps, target('twin'));
    await create('twin', { value: 'second' });
    proxy.accept();
    await until('the second is seen', () => of('twin').length === 3);
    expect(of('twin')).toEqual(['added twin first', 'removed twin first', 'added twin second']);
  });
});
