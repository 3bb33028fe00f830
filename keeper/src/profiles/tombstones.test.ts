import { pino } from 'pino';
import { expect, test } from 'vitest';
import { type Tombstone, startTombstones } from './tombstones.ts';

const log = pino({ level: 'silent' });

test('what a keeper finds at its start is deleted first and cleared after, and one that fails keeps no other from it', async () => {
  const done: string[] = [];
  const tombstone = (name: string): Tombstone => ({
    profile: { namespace: 'tenant-demo', name, uid: `uid of ${name}` },
    clear: async () => void done.push(`cleared ${name}`),
  });
  const tombstones = startTombstones({
    list: async () => [tombstone('broken'), tombstone('fine')],
    profiles: {
      async remove({ name }) {
        if (name === 'broken') throw new Error('the store does not answer');
        done.push(`deleted ${name}`);
        return 2;
      },
    },
    log,
  });
  await expect.poll(() => done).toEqual(['deleted fine', 'cleared fine']);
  await tombstones.stop();
});
