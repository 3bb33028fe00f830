import { expect, test } from 'vitest';
import { startWorkQueue } from './work-queue.ts';

const silent = { info() {}, warn() {}, error() {} };
const tick = (milliseconds = 5): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

function setUp(work: (key: string) => Promise<{ at?: number } | void>, concurrency = 4) {
  return startWorkQueue({ name: 'test', work: (key) => work(key), concurrency, now: Date.now, log: silent });
}

test('a key that is added often is worked on once', async () => {
  const done: string[] = [];
  const queue = setUp(async (key) => {
    await tick();
    done.push(key);
  }, 1);
  queue.add('busy');
  for (let count = 0; count < 5; count += 1) queue.add('x');
  await tick(40);
  expect(done).toEqual(['busy', 'x']);
  await queue.stop();
});

test('a key added while it is being worked on is worked on once more, never by two at a time', async () => {
  let running = 0;
  let most = 0;
  let passes = 0;
  const queue = setUp(async () => {
    running += 1;
    most = Math.max(most, running);
    passes += 1;
    await tick();
    running -= 1;
  });
  queue.add('x');
  await tick(1);
  queue.add('x');
  queue.add('x');
  await tick(40);
  expect([passes, most]).toEqual([2, 1]);
  await queue.stop();
});

test('different keys run side by side, up to the limit', async () => {
  let running = 0;
  let most = 0;
  const queue = setUp(async () => {
    running += 1;
    most = Math.max(most, running);
    await tick();
    running -= 1;
  }, 2);
  for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
  await tick(60);
  expect(most).toBe(2);
  await queue.stop();
});

test('failed work is tried again, later and later', async () => {
  const attempts: number[] = [];
  const queue = setUp(async () => {
    attempts.push(performance.now());
    if (attempts.length < 3) throw new Error('not yet');
  });
  queue.add('x');
  await tick(400);
  expect(attempts).toHaveLength(3);
  expect(attempts[2]! - attempts[1]!).toBeGreaterThan(25);
  await queue.stop();
});

test('work may ask to be called again; the earliest of several instants wins', async () => {
  const calls: number[] = [];
  const startedAt = performance.now();
  const queue = setUp(async () => {
    calls.push(performance.now() - startedAt);
    return calls.length === 1 ? { at: Date.now() + 30 } : {};
  });
  queue.add('x');
  queue.addAt('x', Date.now() + 10_000);
  await tick(120);
  expect(calls).toHaveLength(2);
  expect(calls[1]).toBeGreaterThan(20);
  await queue.stop();
});

test.each([-3_600_000, 3_600_000])('a clock that jumps by %i ms holds back no retry', async (jump) => {
  let offset = 0;
  let calls = 0;
  const now = (): number => Date.now() + offset;
  const queue = startWorkQueue({
    name: 'test',
    async work() {
      calls += 1;
      if (calls > 1) return {};
      const at = now() + 600_000;
      // A deadline is known, and the first try fails right before or after the jump.
      queue.addAt('x', at);
      if (jump > 0) offset = jump;
      setTimeout(() => (offset = jump), 10);
      throw new Error('not yet');
    },
    concurrency: 1,
    now,
    log: silent,
  });
  queue.add('x');
  await tick(150);
  expect(calls).toBe(2);
  await queue.stop();
});

test('stop waits for what runs and lets nothing begin', async () => {
  const done: string[] = [];
  const queue = setUp(async (key) => {
    await tick(20);
    done.push(key);
  }, 1);
  queue.add('running');
  queue.add('waiting');
  await queue.stop();
  queue.add('late');
  await tick(50);
  expect(done).toEqual(['running']);
});
