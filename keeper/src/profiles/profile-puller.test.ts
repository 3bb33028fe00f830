import { expect, test } from 'vitest';
import { createProfilePuller } from './profile-puller.ts';

const id = { namespace: 'tenant-demo', name: 'shop' };
const session = { podIP: '10.0.0.1', podUid: 'p', sessionUid: 's' };
const signal = AbortSignal.timeout(10_000);

test('a pull that reads slowly cannot overwrite a later one: each reads when its turn has come', async () => {
  const { promise: slow, resolve } = Promise.withResolvers<void>();
  let reads = 0;
  const saved: string[] = [];
  const outcomes: string[] = [];
  const pull = createProfilePuller({
    pod: () => ({
      async readProfile() {
        reads += 1;
        const state = `state ${reads}`;
        if (reads === 1) await slow;
        return Buffer.from(state);
      },
    }),
    profiles: {
      async saveFromSession(_id, { state }) {
        saved.push(state.toString());
        return { version: saved.length, sizeBytes: 0, cookieDomains: [], outcome: 'saved', missing: [] };
      },
    },
    pulled: (outcome) => outcomes.push(outcome),
  });
  const both = [pull({ id, session }, signal), pull({ id, session }, signal)];
  resolve();
  await Promise.all(both);
  expect(saved).toEqual(['state 1', 'state 2']);
  expect(outcomes).toEqual(['saved', 'saved']);
});

test('a pull that fails does not keep the next one from its turn', async () => {
  let reads = 0;
  const outcomes: string[] = [];
  const pull = createProfilePuller({
    pod: () => ({
      async readProfile() {
        reads += 1;
        if (reads === 1) throw new Error('the pod is gone');
        return Buffer.from('state');
      },
    }),
    profiles: {
      saveFromSession: async () => ({ version: 1, sizeBytes: 0, cookieDomains: [], outcome: 'unchanged', missing: [] }),
    },
    pulled: (outcome) => outcomes.push(outcome),
  });
  const [first, second] = await Promise.allSettled([pull({ id, session }, signal), pull({ id, session }, signal)]);
  expect([first?.status, second?.status]).toEqual(['rejected', 'fulfilled']);
  expect(outcomes).toEqual(['failed', 'unchanged']);
});
