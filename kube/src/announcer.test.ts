import { expect, test } from 'vitest';
import { createAnnouncer } from './announcer.ts';
import type { Change } from './store.ts';

const setUp = () => {
  const logged: unknown[] = [];
  const log = { info() {}, warn() {}, error: (fields: object) => logged.push(fields) };
  return { logged, announcer: createAnnouncer<string>({ kind: 'Thing', log }) };
};
const added = (object: string): Change<string> => ({ type: 'added', object });

test('a change that a handler makes is told to all after the one it was told', () => {
  const { announcer } = setUp();
  const heard: string[] = [];
  announcer.add(({ object }) => {
    if (object === 'first') announcer.publish([added('made by a handler')]);
  }, []);
  announcer.add(({ object }) => heard.push(object), []);
  announcer.publish([added('first'), added('second')]);
  expect(heard).toEqual(['first', 'second', 'made by a handler']);
});

test('a handler added while a change is told hears what is known once', () => {
  const { announcer } = setUp();
  const heard: string[] = [];
  let once = false;
  announcer.add(() => {
    if (!once) announcer.add(({ object }) => heard.push(object), ['a', 'b']);
    once = true;
  }, []);
  announcer.publish([added('a'), added('b')]);
  announcer.publish([added('c')]);
  expect(heard).toEqual(['a', 'b', 'c']);
});

test('a handler that takes itself away costs the next one nothing, and may do so twice', () => {
  const { announcer } = setUp();
  const heard: string[] = [];
  const remove = announcer.add(() => {
    remove();
    remove();
  }, []);
  announcer.add(({ object }) => heard.push(object), []);
  announcer.publish([added('a'), added('b')]);
  expect(heard).toEqual(['a', 'b']);
});

test('a handler that throws or rejects is logged, and the next one is called', async () => {
  const { announcer, logged } = setUp();
  const heard: string[] = [];
  announcer.add(() => {
    throw new Error('thrown');
  }, []);
  // Against its type, as JavaScript allows.
  const rejecting: () => unknown = () => Promise.reject(new Error('rejected'));
  announcer.add(rejecting, []);
  announcer.add(({ object }) => heard.push(object), []);
  announcer.publish([added('a')]);
  await Promise.resolve();
  expect(heard).toEqual(['a']);
  expect(logged).toHaveLength(2);
});

test('after its end nothing is told', () => {
  const { announcer } = setUp();
  const heard: string[] = [];
  announcer.add(({ object }) => {
    heard.push(object);
    announcer.close();
  }, []);
  announcer.publish([added('a'), added('b')]);
  announcer.publish([added('c')]);
  expect(heard).toEqual(['a']);
});
