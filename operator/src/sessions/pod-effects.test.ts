import type { Client } from '@podwright/kube/client';
import { KubeError } from '@podwright/kube/kube-error';
import type { Pod } from '@podwright/kube/objects';
import { expect, test } from 'vitest';
import { pod } from '../testing/objects.ts';
import { createPodEffects } from './pod-effects.ts';

/** Deletes are refused with 409; `current` is what carries the name. */
async function remove(current: Pod | undefined): Promise<{ forgotten: boolean; failed: boolean }> {
  let forgotten = false;
  const client = {
    delete: () => Promise.reject(new KubeError(409, 'Conflict', 'the object has been modified')),
    find: () => Promise.resolve(current),
  } as unknown as Client;
  const caches = { pods: { forget: () => (forgotten = true), remember() {} } };
  const options = { client, caches, now: Date.now } as unknown as Parameters<typeof createPodEffects>[0];
  const failed = await createPodEffects(options)
    .remove(pod(), 1)
    .then(
      () => false,
      () => true,
    );
  return { forgotten, failed };
}

test('a refused delete is no proof that a pod is gone: it stays known and is tried again', async () => {
  expect(await remove(pod())).toEqual({ forgotten: false, failed: true });
});

test('when another pod carries its name, or none, it is gone', async () => {
  const another = pod();
  another.metadata.uid = 'another';
  expect(await remove(another)).toEqual({ forgotten: true, failed: false });
  expect(await remove(undefined)).toEqual({ forgotten: true, failed: false });
});
