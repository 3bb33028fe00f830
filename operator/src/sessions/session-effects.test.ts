import type { BrowserSession } from '@podwright/api/kinds/session';
import type { Client } from '@podwright/kube/client';
import { KubeError } from '@podwright/kube/kube-error';
import { expect, test } from 'vitest';
import { session, time } from '../testing/objects.ts';
import { createSessionEffects } from './session-effects.ts';

/** The first write of a status is refused because the object is `current` by now. */
function setUp(current: BrowserSession) {
  const applied: BrowserSession[] = [];
  const remembered: BrowserSession[] = [];
  let refused = false;
  const client = {
    apply(_type: unknown, object: BrowserSession) {
      if (refused) return Promise.resolve((applied.push(object), object));
      refused = true;
      return Promise.reject(new KubeError(409, 'Conflict', 'the object has been modified'));
    },
    find: () => Promise.resolve(current),
  } as unknown as Client;
  const caches = { sessions: { remember: (object: BrowserSession) => remembered.push(object) } };
  const effects = createSessionEffects({ client, caches } as unknown as Parameters<typeof createSessionEffects>[0]);
  return { effects, applied, remembered };
}
const base = session({ status: { phase: 'Ready' } });
const stopping = { phase: 'Stopping', stoppingAt: time(9) } as const;

test('a stop whose answer was lost is not latched again at another instant: it is seen first', async () => {
  const stored = session({ metadata: { resourceVersion: '2' }, status: { phase: 'Stopping', stoppingAt: time(8) } });
  const { effects, applied, remembered } = setUp(stored);
  await expect(effects.writeStatus(base, stopping)).rejects.toThrow('modified');
  expect(applied).toEqual([]);
  expect(remembered).toEqual([stored]);
});

test('what the gateway wrote meanwhile is no reason to decide again', async () => {
  const cost = { browserUsd: '1', modelUsd: '0', egressUsd: '0', totalUsd: '1' };
  const { effects, applied } = setUp(session({ metadata: { resourceVersion: '2' }, status: { phase: 'Ready', cost } }));
  await effects.writeStatus(base, stopping);
  expect(applied.map(({ metadata }) => metadata.resourceVersion)).toEqual(['2']);
});
